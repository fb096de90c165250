"""Signs in code of any language that a reader of that language may overlook."""

from __future__ import annotations

import re

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.models.throwaway import is_throwaway

_FORKS = re.compile(
    r"(?:spawn\w*|Popen|run|call)\(.{0,30}(?:process\.(?:execPath|argv)|sys\.executable|__filename)|\bfork\b\s*\(?|(?:system|execute)\(.*&\s*\\?[\"']\s*\)"
)
_LOOPS = re.compile(r"\b(?:while|until|loop|setInterval)\b|math\.huge|for\s*\(\s*;|\(;;\)")
_MULTIPLIES = re.compile(
    r"(?:while\s*\(?\s*(?:1|True|true|\$true)\b|for\s*\(;;\)).{0,60}\b(?:Process\(|Start-Process|Start-Job)",
    re.DOTALL | re.IGNORECASE,
)
_RECURS = re.compile(
    r"\b(?:function|sub)\s+(\w+)[\s\S]{0,160}?[^\w.]\1\b"
    r"|\bdef\s+(\w+)(?:[^\n]|\n(?=\s)){0,160}?[^\w.]\2\b"
)
"""A function that names itself; one of Python ends where a line is not indented."""
_CONNECTS = re.compile(
    r"\bsocket\b|[Ss]ocket\(|fsockopen|net\.connect|\.connect\(|/inet/tcp|create_connection"
)
_STARTS = re.compile(
    r"\bexec\b|\bspawn|\bsystem\b|Command\(|popen|subprocess|\bdup2\b|\bpty\b|Process"
)
_FETCHED = re.compile(
    r"(?:include|require|import|load|source|eval|exec)\w*\s*\(?\s*[\"']https?://"
    r"|(?:pickle|marshal|dill|joblib)\.loads?\(.{0,80}(?:urlopen|requests|https?:)",
    re.DOTALL,
)
_ASKS = re.compile(r"execute|query|run_sql|\braw\b|\.sql\(|statement", re.IGNORECASE)
_LOSES = re.compile(
    r"[\"'`]\s*(?:drop\s+(?:table|database|schema|user|index)|truncate\s+(?:table\s+)?\w"
    r"|delete\s+from\s+[\w.`]+\s*(?:;\s*)?[\"'`]|shutdown)",
    re.IGNORECASE,
)
_CALLED_BY_TEXT = re.compile(
    r"\$\w+\s*\(|getattr\(|call_user_func|\[[\"']\w+[\"']\]\s*\(|\bsend\(|\.call\("
)
_RUNS = re.compile(
    r"(?:\bsystem|\bsyscmd|\bcmd|\bcommand|\bexec(?:Sync|File|v[pe]*|l[pe]*)?|popen|run-?program|\bshell\w*|spawn\w*)"
    r"\W{1,6}?[\"'`]([^\"'`\n]{3,200})[\"'`]",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"([\"'])((?:(?!\1)[^\\\n]){0,60})\1\s*(?:\+|\.\.?)\s*\1((?:(?!\1)[^\\\n]){0,60})\1"
)
_DUMPS = re.compile(r"ENV\.to_h|%ENV|process\.env\b(?![.\[])|\$_ENV\b(?!\[)|getenv\(\)")
_SENDS = re.compile(r"post|fetch\(|request|send|https?://", re.IGNORECASE)
_DEEDS = (
    (re.compile(r"\.flush_?(?:all|db)\b", re.IGNORECASE), danger("database", "empties a database")),
    (
        re.compile(
            r"\.drop_?(?:database|collection|schema|all_tables|all_schemas|tables?(?:IfExists)?|all)"
            r"\(|\.sync\(\s*\{\s*force:\s*true|\.delete_?many\(\s*(?:\{\s*\})?\s*\)"
            r"|\.objects\.\w+\([^)]*\)(?:\.\w+\([^)]*\))?\.delete\(|\.indices\.delete\(|\.delete_by_query\("
            r"|\.schema\.(?:drop|wipe)|\]\.drop\(\)|\.getCollection\([^)]*\)\.drop\(",
            re.IGNORECASE,
        ),
        danger("database", "deletes data or structure of a database"),
    ),
    (
        re.compile(
            r"get_credentials\(\)\.|get_frozen_credentials|dotenv_values\(|get_password\("
            r"|application\.credentials\b|settings\.(?:SECRET_KEY|DATABASES)\b"
            r"|config\([\"']app\.key|\benv\([\"']\w*(?:KEY|SECRET|PASSWORD|TOKEN)"
            r"|\.get_secret_value\(|\.access_secret_version\("
        ),
        danger("exfiltration", "reads stored secrets"),
    ),
    (
        re.compile(
            r"(?:client|resource)\([\"'](?:ec2|s3|rds|dynamodb|iam|lambda|ecs|eks|cloudformation)"
            r".*\.(?:delete|terminate|stop|put|create|update|modify|remove|attach|detach)_?\w*\(",
            re.DOTALL,
        ),
        danger("infrastructure", "changes something in the cloud"),
    ),
    (
        re.compile(r"\binstall\.packages\("),
        danger("overwrite", "installs packages on the machine"),
    ),
    (
        re.compile(r"os\.RemoveAll\(|del_dir_r\(|deleteRecursively\(|FileUtils\.deleteDirectory"),
        danger("delete", "deletes folders with all that is in them"),
    ),
    (
        re.compile(r"os\.Environ\(\)|System\.getenv\(\)|std::env::vars\(\)|os:getenv\(\)"),
        danger("exfiltration", "prints every variable, secrets among them"),
    ),
    (
        re.compile(r"psutil.*\.(?:kill|terminate)\(\)", re.DOTALL),
        danger("process", "ends processes that it did not start"),
    ),
    (
        re.compile(r"install_(?:github|gitlab|git|url|bitbucket)\("),
        danger("network-exec", "installs code from the network"),
    ),
    (
        re.compile(r"\bkill\b.*(?:getppid|\bppid\b)|(?:getppid|\bppid\b).*\bkill\b", re.DOTALL),
        danger("process", "signals hermes, which started this"),
    ),
    (
        re.compile(
            r"https?://[^\"']*[\"']\s*[+.]\s*(?:ENV\[|getenv\(|\$_ENV\[|process\.env\.)[\"']?"
            r"\w*(?:KEY|TOKEN|SECRET|PASS)"
        ),
        danger("exfiltration", "puts a secret into an address"),
    ),
    (
        re.compile(r"(?:\.get|\bfetch)\(.{0,200}\bpipe\(.{0,80}\bspawn\(", re.DOTALL),
        danger("network-exec", "runs what it gets from the network"),
    ),
    (
        re.compile(r"sys\.path\.(?:append|insert)\([^)]{0,6}[\"']/(?:tmp|var/tmp|dev/shm)"),
        danger("obfuscation", "takes modules from where anybody may write"),
    ),
    (re.compile(r"devtools::release|release\(\)\s*$"), danger("publish", "publishes the package")),
)
_EMPTIES = re.compile(
    r"""open\(\s*["']([^"'\n]+)["']\s*,\s*["']w[bt+]*["'][^()]{0,20}\)
        \s*\.\s*(?:close\(|truncate\(\s*0?\s*\)|write\(\s*b?(?:''|"")\s*\))
    |Path\(\s*["']([^"'\n]+)["']\s*\)\.write_(?:text|bytes)\(\s*b?(?:''|"")\s*\)
    |truncate(?:Sync)?\(\s*["']([^"'\n]+)["']\s*(?:,\s*0\s*)?(?:\)|,\s*\(?\w*\)?\s*=>)
    |(?:writeFile(?:Sync)?|file_put_contents|File\.write|writeTextFile(?:Sync)?)
        \(\s*["']([^"'\n]+)["']\s*,\s*(?:''|"")\s*\)""",
    re.VERBOSE,
)
_UNLINKS = re.compile(r"[\"']unlink[\"']\s*,\s*glob\(\s*[\"']([^\"']+)")
_QUOTED = re.compile(r"[\"']([^\"'\n]{4,200})[\"']")


def signs(code: str, *, is_read: bool = False) -> list[Effect]:
    """Return what code gives away by its words; ``is_read`` when a reader knows its calls."""
    found: list[Effect] = []
    if is_fork_bomb(code):
        found.append(danger("process", "is a fork bomb: code that starts itself"))
    if _CONNECTS.search(code) and _STARTS.search(code):
        found.append(danger("network-exec", "connects to a host and starts programs"))
    if _FETCHED.search(code):
        found.append(danger("network-exec", "runs code that comes from the network"))
    if _LOSES.search(code) and _ASKS.search(code):
        found.append(danger("database", "deletes data or structure of a database"))
    for pattern, effect in _DEEDS:
        if pattern.search(code):
            found.append(effect)
    if _DUMPS.search(code) and _SENDS.search(code):
        found.append(danger("exfiltration", "sends every variable, secrets among them"))
    if not is_read:
        found += [Effect("run", text) for text in _RUNS.findall(code)]
    emptied = ["".join(places) for places in _EMPTIES.findall(code)]
    found += [danger("delete", f"empties {p}") for p in emptied if not is_throwaway(p)]
    found += [Effect("delete", path) for path in _UNLINKS.findall(code)]
    if _CALLED_BY_TEXT.search(code):
        found += [Effect("run", text) for text in _QUOTED.findall(code) if " " in text]
    return found


def folded(code: str) -> str:
    """Return code with texts joined that are written in pieces: ``"exec" + "Sync"``."""
    for _ in range(8):
        joined = _JOINED.sub(lambda match: f"{match[1]}{match[2]}{match[3]}{match[1]}", code)
        if joined == code:
            break
        code = joined
    return code


def is_fork_bomb(code: str) -> bool:
    """Say whether code forks in a loop."""
    code = code.replace("\\n", "\n")
    if _FORKS.search(code) and (_LOOPS.search(code) or _RECURS.search(code)):
        return True
    return bool(_MULTIPLIES.search(code))


def loses_data(text: str) -> bool:
    """Say whether a text that a database client may be given deletes something."""
    return bool(_STATEMENT.search(text))


_STATEMENT = re.compile(
    r"\b(?:drop\s+(?:table|database|schema|user|keyspace|index|view)|truncate\s+table"
    r"|delete\s+from\s+[\w.`]+\s*(?:;|$))",
    re.IGNORECASE,
)
