"""Tell what SQL does: statements that lose data or rights, and the commands of its clients."""

from __future__ import annotations

import re

from hermes.policy.shell.code import sql_clients
from hermes.policy.shell.code.sql_tokens import Statement, Token, statements
from hermes.policy.shell.effects import UNKNOWN, Effect, danger

_OBJECTS = frozenset((
    "TABLE", "DATABASE", "SCHEMA", "INDEX", "VIEW", "MATERIALIZED", "COLUMN", "SEQUENCE",
    "FUNCTION", "PROCEDURE", "TRIGGER", "TYPE", "DOMAIN", "ROLE", "USER", "EXTENSION",
    "TABLESPACE", "KEYSPACE", "POLICY", "OWNED", "CONSTRAINT", "PARTITION", "SERVER", "LOGIN",
    "EVENT", "PUBLICATION", "SUBSCRIPTION", "DICTIONARY", "STREAM", "WAREHOUSE", "FOREIGN",
))  # fmt: skip
_PEOPLE = frozenset(("USER", "ROLE", "GROUP", "LOGIN"))
_HEADS = frozenset(("BEGIN", "THEN", "ELSE", "LOOP", "AS", "ANALYZE", "DECLARE"))
_SKIPPED = frozenset(("IF", "NOT", "EXISTS", "ONLY", "CONCURRENTLY", "TABLE", "VIEW", "DATA"))
_SERVER_CALLS = {
    "XP_CMDSHELL": "runs a shell command on the database server",
    "SYS_EXEC": "runs a shell command on the database server",
    "SYS_EVAL": "runs a shell command on the database server",
    "PG_TERMINATE_BACKEND": "ends sessions of the database",
    "LOAD_EXTENSION": "loads native code into the database",
    "SP_CONFIGURE": "changes the settings of the database server",
    "LO_EXPORT": "writes a file on the database server",
    "LO_UNLINK": "deletes large objects of the database",
    "PG_CANCEL_BACKEND": "ends queries of the database",
    "PG_RELOAD_CONF": "changes the settings of the database server",
    "PG_DROP_REPLICATION_SLOT": "stops a replica of the database",
    "PG_PROMOTE": "changes which database server leads",
    "PG_FILE_WRITE": "writes a file on the database server",
    "PG_FILE_UNLINK": "deletes a file on the database server",
    "SP_ADDSRVROLEMEMBER": "grants rights in the database",
    "SP_ADDLOGIN": "makes a database user",
}
_FIRST_WORDS = {
    "GRANT": "grants rights in the database",
    "REVOKE": "takes rights in the database away",
    "SHUTDOWN": "shuts the database server down",
    "PURGE": "purges the logs of the database server",
    "RENAME": "renames tables or users of the database",
}
_FILE_READS = frozenset(
    ("PG_READ_FILE", "PG_READ_BINARY_FILE", "PG_LS_DIR", "LOAD_FILE", "LO_IMPORT", "READFILE")
)
_RUNNING = frozenset(("DO", "EXEC", "PREPARE"))
_RUNNING_ANYWHERE = frozenset(("EXECUTE", "SP_EXECUTESQL", "DBLINK_EXEC"))
_INNER_VERBS = frozenset(
    ("DROP", "TRUNCATE", "DELETE", "UPDATE", "ALTER", "COPY", "GRANT", "REVOKE")
)
_MOST_HEADS = 300
_REACH = 2000
_CHANGES_ROWS = frozenset(("DELETE", "UPDATE", "INSERT", "REPLACE"))
_SYSTEM_TABLE = re.compile(
    r"^(?:mysql|pg_catalog|sys|admin|system)\.|^pg_(?:authid|auth_members|proc|class|attribute)$",
    re.IGNORECASE,
)
_RESETS = frozenset(("MASTER", "SLAVE", "REPLICA", "PERSIST"))
_CALM_FLUSHES = frozenset(("PRIVILEGES", "STATUS"))


def effects(code: str) -> list[Effect]:
    """Return what SQL and the client commands in it do besides reading and adding rows."""
    found: list[Effect] = []
    waiting: list[Effect] | None = None
    made: set[str] = set()
    for statement in statements(code):
        if statement.command:
            found += sql_clients.effects(statement.command)
            continue
        first = statement.words[0] if statement.words else ""
        if (
            first in {"BEGIN", "START"}
            and len(statement.words) < 6
            and "END" not in statement.words[1:]
        ):
            waiting = []
        if first == "ROLLBACK" and waiting is not None and "TO" not in statement.words:
            waiting = None
        elif first in {"COMMIT", "END"} and waiting is not None:
            found += waiting
            waiting = None
        else:
            (found if waiting is None else waiting).extend(_statement(statement, made))
    return found + (waiting or [])


def _statement(statement: Statement, made: set[str]) -> list[Effect]:
    words = statement.words
    if not words:
        return []
    if words[0] in {"EXPLAIN", "DESCRIBE", "DESC"} and "ANALYZE" not in words[:3]:
        return []
    if words[0] == "CREATE":
        return _creation(statement, made)
    if words[0].startswith(UNKNOWN):
        return [danger("opaque", "runs SQL that is only known when it runs")]
    tokens = statement.tokens
    heads = [at for at, token in enumerate(tokens) if token.kind == "word" and _is_head(tokens, at)]
    heads = [at for at in heads if at == 0 or tokens[at].upper in _INNER_VERBS]
    found: list[Effect] = []
    for at in heads[:_MOST_HEADS]:
        found += _head(tokens[at : at + _REACH] if at else tokens, made)
    if len(heads) > _MOST_HEADS:
        found.append(danger("opaque", "is too tangled to be read to its end"))
    found += _functions(statement)
    found += _inner_code(statement)
    return found


def _is_head(tokens: list[Token], at: int) -> bool:
    if at == 0:
        return True
    before = tokens[at - 1]
    return (
        before.text in "()"
        if before.kind == "sign"
        else before.kind == "word" and before.upper in _HEADS
    )


def _head(tokens: list[Token], made: set[str]) -> list[Effect]:
    words = [token.upper for token in tokens[:12]]
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first == "DROP":
        return _drop(tokens, words, made)
    if first == "TRUNCATE" and (
        second == "TABLE" or len(tokens) < 2 or tokens[1].kind in {"word", "name"}
    ):
        return [danger("database", f"empties the table {_name(tokens[1:])}")]
    if first == "DELETE" and second not in {"", "WHEN", "CASCADE"} and not _has_condition(tokens):
        return [danger("database", f"deletes every row of {_name(tokens[1:], skip='FROM')}")]
    if first == "UPDATE" and "SET" in words and second != "SET" and not _has_condition(tokens):
        return [danger("database", f"changes every row of {_name(tokens[1:])}")]
    if first in _CHANGES_ROWS and _SYSTEM_TABLE.search(
        _name(tokens[2 if second in {"FROM", "INTO"} else 1 :])
    ):
        return [danger("database", "changes the database's own tables of users and rights")]
    if first == "ALTER":
        return _alteration(tokens, words)
    if first == "COPY":
        return _copy(tokens)
    sentence = _simple_danger(words)
    return [danger("database", sentence)] if sentence else _file_statements(tokens, words)


def _simple_danger(words: list[str]) -> str:
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first in _FIRST_WORDS:
        return _FIRST_WORDS[first]
    if first == "FLUSH" and second not in _CALM_FLUSHES:
        return f"flushes {second.lower() or 'the caches'} of the database server"
    if first == "RESET" and second in _RESETS:
        return f"resets the {second.lower()} state of the database server"
    if first == "KILL" and len(words) > 1:
        return "ends a session of the database"
    if first == "SET" and second in {"GLOBAL", "PERSIST", "PASSWORD"}:
        return f"changes a {second.lower()} setting of the database server"
    if first in {"RESTORE", "UNDROP"} and second in {"DATABASE", "LOG"}:
        return "replaces a database by a backup"
    if first == "REASSIGN" and second == "OWNED":
        return "gives what a role owns to another"
    return ""


def _drop(tokens: list[Token], words: list[str], made: set[str]) -> list[Effect]:
    kind = words[1] if len(words) > 1 else ""
    if kind in {"TEMPORARY", "TEMP"} or kind not in _OBJECTS:
        return []
    name = _name(tokens[2:])
    if name.lower() in made:
        return []
    if kind in _PEOPLE:
        return [danger("database", f"drops the database user {name}")]
    if kind == "OWNED":
        return [danger("database", f"drops everything owned by {_name(tokens[2:], skip='BY')}")]
    return [danger("database", f"drops the {kind.lower()} {name}")]


def _creation(statement: Statement, made: set[str]) -> list[Effect]:
    words = statement.words
    if len(words) > 1 and words[1] in _PEOPLE:
        return [danger("database", f"makes the database user {_name(statement.tokens[2:])}")]
    if "TABLE" in words[:4] or "DATABASE" in words[:2] or "VIEW" in words[:4]:
        at = next(at for at, word in enumerate(words) if word in {"TABLE", "DATABASE", "VIEW"})
        if "EXISTS" not in words[: at + 4]:
            made.add(_name(statement.tokens[at + 1 :]).lower())
    languages = {"PLPYTHONU", "PLPYTHON3U", "PLPERLU", "C"}
    if "LANGUAGE" in words and not languages.isdisjoint(words[words.index("LANGUAGE") :][:2]):
        return [danger("opaque", "adds native code to the database")]
    return []


def _alteration(tokens: list[Token], words: list[str]) -> list[Effect]:
    kind = words[1] if len(words) > 1 else ""
    every = [token.upper for token in tokens]
    if kind in _PEOPLE:
        return [danger("database", f"changes the database user {_name(tokens[2:])}")]
    if kind == "SYSTEM":
        return [danger("database", "changes the settings of the database server")]
    if "DROP" in every[2:]:
        what = tokens[every.index("DROP", 2) + 1 :]
        if what and what[0].upper in {"NOT", "DEFAULT", "IDENTITY", "EXPRESSION"}:
            return []
        thing = _name(what[1:] if what and what[0].upper in _OBJECTS else what)
        return [danger("database", f"drops {thing} from {_name(tokens[2:])}")]
    if "DISABLE" in every[2:] or "TRUNCATE" in every[2:] or "DELETE" in every[3:4]:
        return [danger("database", f"weakens or empties {_name(tokens[2:])}")]
    return []


def _copy(tokens: list[Token]) -> list[Effect]:
    for at, token in enumerate(tokens[:-1]):
        following = tokens[at + 1]
        if token.upper == "PROGRAM" and following.kind == "text":
            what = "runs a shell command on the database server"
            return [danger("database", what), Effect("run", following.text)]
        if token.upper in {"TO", "FROM"} and following.kind == "text":
            return [Effect("write" if token.upper == "TO" else "read", following.text)]
    return []


def _file_statements(tokens: list[Token], words: list[str]) -> list[Effect]:
    if words[0] in {"ATTACH", "VACUUM", "BACKUP"}:
        return [Effect("write", token.text) for token in tokens if token.kind == "text"][:1]
    if words[:2] == ["LOAD", "DATA"]:
        return [Effect("read", token.text) for token in tokens if token.kind == "text"][:1]
    return []


def _functions(statement: Statement) -> list[Effect]:
    found: list[Effect] = []
    for token, following in statement.pairs():
        if token.kind != "word":
            continue
        if token.upper in _SERVER_CALLS:
            found.append(danger("database", _SERVER_CALLS[token.upper]))
        elif token.upper in {"OUTFILE", "DUMPFILE"}:
            found.append(
                danger("database", f"writes the file {following.text} on the database server")
            )
        elif token.upper == "WRITEFILE" and following.text == "(":
            texts = [inner.text for inner in statement.tokens if inner.kind == "text"]
            found += [Effect("write", text) for text in texts if "/" in text]
        elif token.upper in _FILE_READS and following.text == "(":
            texts = [inner.text for inner in statement.tokens if inner.kind == "text"]
            found += [Effect("read", texts[0] if texts else UNKNOWN)]
    return found


def _inner_code(statement: Statement) -> list[Effect]:
    """Read the texts that a statement runs as SQL of their own."""
    words = statement.words
    is_running = words[0] in _RUNNING or not _RUNNING_ANYWHERE.isdisjoint(words)
    if statement.depth > 4 or not is_running:
        return []
    found: list[Effect] = []
    for token in statement.tokens:
        if token.kind in {"text", "body"}:
            inner = statements(token.text, depth=statement.depth + 1)
            found += [effect for part in inner for effect in _statement(part, set())]
    return found


def _has_condition(tokens: list[Token]) -> bool:
    depth = 0
    for at, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "sign" else 0
        if depth < 0:
            return False
        if depth == 0 and token.kind == "word" and token.upper == "WHERE":
            return not _is_always_true([inner.upper for inner in tokens[at + 1 : at + 6]])
        if depth == 0 and token.kind == "word" and token.upper in {"USING", "JOIN"}:
            return True
    return False


def _is_always_true(words: list[str]) -> bool:
    if not words or (
        words[0] in {"TRUE", "1"} and (len(words) == 1 or words[1] not in {"=", "AND", "<", ">"})
    ):
        return True
    is_equal = len(words) >= 3 and words[1] == "=" and words[0] == words[2]
    return is_equal and (len(words) == 3 or words[3] not in {"AND"})


def _name(tokens: list[Token], skip: str = "") -> str:
    rest = [
        token
        for token in tokens
        if not (token.kind == "word" and (token.upper in _SKIPPED or token.upper == skip))
    ]
    name = ""
    for token in rest:
        if token.kind not in {"word", "name", "text"} and token.text != ".":
            break
        if name and token.text != "." and not name.endswith("."):
            break
        name += token.text
    return name or "something"
