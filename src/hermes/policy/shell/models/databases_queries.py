"""Say what is sent to a database by its client: queries in options, operands or piped in."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence

from hermes.policy.shell.code.reading import effects_of
from hermes.policy.shell.effects import UNKNOWN, Effect, danger
from hermes.policy.shell.model import Call, Program, told_apart
from hermes.policy.shell.models.surroundings import is_live, is_passing, loses

_DROPS = re.compile(r"^drops the (?:database|schema) [`\"']?([\w\-]+)")
_WRITES = re.compile(
    r"^\s*(?:insert|update|delete|create|alter|drop|replace|vacuum|reindex|truncate|copy|merge"
    r"|grant|revoke|\.import|\.restore|\.load|attach|system|call|kill|lock)\b",
    re.IGNORECASE | re.MULTILINE,
)

_REDIS_WRITES = frozenset(
    {"set", "del", "unlink", "hset", "hdel", "lpush", "rpush", "lrem", "sadd", "srem", "zadd",
     "zrem", "expire", "rename", "incr", "decr", "getdel", "mset", "setex", "persist", "xdel"}
)  # fmt: skip
_DEVELOPED = re.compile(r"(?:^|[_\-./])(?:dev|devel|development|local)(?:[_\-./]|$)", re.IGNORECASE)

Handler = Callable[[Call], Iterator[Effect]]


def sent(language: str, codes: Sequence[str], database: str | None) -> Iterator[Effect]:
    """Yield what queries do, forgiving what empties a database for tests."""
    for code in codes:
        if is_passing(database):
            yield from (
                effect for effect in effects_of(language, code) if effect.category != "database"
            )
        elif language == "sql" and _only_drops_passing(code):
            continue
        else:
            yield Effect("code", code, what=language)


def _only_drops_passing(code: str) -> bool:
    effects = effects_of("sql", code)
    drops = [_DROPS.match(effect.what) for effect in effects]
    return bool(drops) and all(drop is not None and is_passing(drop[1]) for drop in drops)


def _meant(call: Call) -> Iterator[str]:
    """Yield the variables that may say which database is meant: ``"$PROD_URL"``."""
    if any(UNKNOWN in word for word in call.words):
        yield from (name for name in call.missed if is_live(name))


def piped(call: Call, language: str, target: str | None) -> Iterator[Effect]:
    """Yield what queries that come in on standard input do."""
    flow = call.piped
    if flow.text is not None:
        if flow.text.strip():
            yield from sent(language, (flow.text,), target)
    elif "network" in flow.origins:
        yield danger("network-exec", f"runs queries from the network in {call.name}")
    elif is_live(target):
        yield danger("database", f"loads unseen queries into {target}")
    elif not is_passing(target):
        yield from _loaded(call.name, [name[5:] for name in flow.origins if name[:5] == "file:"])
        is_packed = "decoder" in flow.origins and not _DEVELOPED.search(target or "")
        if not flow.origins or is_packed:
            yield danger("opaque", f"runs queries in {call.name} that cannot be known beforehand")


def _loaded(client: str, files: Sequence[str]) -> Iterator[Effect]:
    for file in files:
        if loses(file):
            yield danger("database", f"runs {file} in {client}, which by its name loses data")


def client(language: str, code: str, files: str, host: str, database: str) -> Handler:
    """Return a handler for a client: its options for code, files, host and database."""

    def judge(call: Call) -> Iterator[Effect]:
        codes = call.values(*code.split())
        name = call.value(*database.split()) or (call.operands[0] if call.operands else None)
        target = " ".join(filter(None, (name, call.value(*host.split()), *_meant(call))))
        yield from sent(language, codes, name)
        if is_live(target) and any(_WRITES.search(code) for code in codes):
            yield danger("database", f"changes {target}, which people depend on")
        loaded = call.values(*files.split())
        if loaded and is_live(target):
            yield danger("database", f"loads {' '.join(loaded)} into {target}")
        elif not is_passing(name):
            yield from _loaded(call.name, loaded)
        if not codes and not loaded:
            yield from piped(call, language, target if is_live(target) else name)

    return judge


_MYSQL = Program(
    values="-h --host -u --user -P --port -S --socket -D --database -e --execute --password"
    " --defaults-file --defaults-extra-file --init-command --protocol --ssl-ca --prompt --tee"
)


def mysql(call: Call) -> Iterator[Effect]:
    """Yield what mysql is told; its ``-p`` holds a password or nothing."""
    words = [word for word in call.words if not re.match(r"-p(?!rotocol)", word)]
    read = told_apart(call.name, words, _MYSQL)._replace(piped=call.piped)
    yield from _mysql(read)
    for code in read.values("--init-command"):
        yield Effect("code", code, what="sql")


_mysql = client("sql", "-e --execute", "", "-h --host", "-D --database")


def in_a_file(call: Call) -> Iterator[Effect]:
    """Yield what a client of a database in a file does: sqlite3, duckdb."""
    file = _named(call.operands[0]) if call.operands else ":memory:"
    codes = (*call.operands[1:], *call.values("-cmd", "-c", "-s", "--cmd"))
    if not codes and call.piped.text:
        codes = (call.piped.text,)
    if file in (":memory:", ""):
        for code in codes:
            yield from (one for one in effects_of("sql", code) if not _is_about_rows(one))
        return
    yield from sent("sql", codes, file)
    if not is_passing(file):
        scripts = [code.split()[1] for code in codes if re.match(r"\s*\.read\s+\S", code)]
        yield from _loaded(call.name, scripts)
    if any(_WRITES.search(code) for code in codes):
        yield Effect("write", file)
    else:
        yield Effect("read", file)
    if not codes:
        yield from piped(call, "sql", file)


def _named(file: str) -> str:
    """Return the path that an address of a file names; one that is only read has no other."""
    if not file.startswith("file:") or "mode=ro" in file or "immutable=1" in file:
        return file
    return re.sub(r"^//(?:localhost)?(?=/)", "", file[5:].partition("?")[0])


def _is_about_rows(effect: Effect) -> bool:
    return effect.category == "database" and "native code" not in effect.what


def redis(call: Call) -> Iterator[Effect]:
    """Yield what a Redis client is told by its operands or by standard input."""
    if call.operands:
        yield Effect("code", shlex.join(call.operands), what="redis")
        if call.operands[0].lower() in ("del", "unlink") and UNKNOWN in "".join(call.operands):
            yield danger("database", "deletes keys that cannot be known beforehand")
    elif call.piped.text and call.piped.text.strip():
        yield Effect("code", call.piped.text, what="redis")
    is_written = bool(call.operands) and call.operands[0].lower() in _REDIS_WRITES
    if is_written and is_live(f"{call.value('-h')} {call.value('-u')}"):
        yield danger("database", "changes a database that people depend on")
    if call.has("--pipe", "--eval"):
        yield danger("opaque", "gives the database commands that cannot be known beforehand")
    cluster = call.values("--cluster")
    if cluster and cluster[0] not in ("check", "info", "help"):
        yield danger("database", f"changes the cluster: {cluster[0]}")


_CYPHER = re.compile(r"\b(?:DELETE|DROP|REMOVE)\b", re.IGNORECASE)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|//[^\n]*")
_HBASE = re.compile(
    r"^\s*(?:disable|drop|truncate|delete|deleteall|alter|major_compact|grant|revoke)", re.MULTILINE
)


def cypher(call: Call) -> Iterator[Effect]:
    """Yield what Cypher that deletes does."""
    codes = [*call.operands, call.piped.text or ""]
    if any(_CYPHER.search(_QUOTED.sub("''", code)) for code in codes):
        yield danger("database", "deletes from the graph database")


def hbase(call: Call) -> Iterator[Effect]:
    """Yield what an HBase shell is told that loses data."""
    if _HBASE.search(call.piped.text or ""):
        yield danger("database", "changes tables of HBase")
