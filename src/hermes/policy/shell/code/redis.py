"""Tell what command lines of redis-cli do."""

from __future__ import annotations

import re
import shlex

from hermes.policy.shell.effects import UNKNOWN, Effect, danger

_DANGERS = {
    "FLUSHALL": "erases all Redis databases",
    "FLUSHDB": "erases the Redis database",
    "SHUTDOWN": "shuts the Redis server down",
    "SLAVEOF": "makes the Redis server copy another, losing its data",
    "REPLICAOF": "makes the Redis server copy another, losing its data",
    "SWAPDB": "swaps two Redis databases",
    "FAILOVER": "starts a failover of the Redis server",
    "CONFIG RESETSTAT": "resets the statistics of the Redis server",
    "CONFIG REWRITE": "rewrites the settings file of the Redis server",
    "CONFIG SET": "changes a setting of the Redis server",
    "SCRIPT FLUSH": "drops the scripts of the Redis server",
    "SCRIPT KILL": "ends a script of the Redis server",
    "FUNCTION FLUSH": "drops the functions of the Redis server",
    "FUNCTION DELETE": "drops functions of the Redis server",
    "FUNCTION LOAD": "loads code into the Redis server",
    "MODULE LOAD": "loads native code into the Redis server",
    "MODULE LOADEX": "loads native code into the Redis server",
    "MODULE UNLOAD": "unloads a module of the Redis server",
    "ACL SETUSER": "changes the users of the Redis server",
    "ACL DELUSER": "changes the users of the Redis server",
    "ACL LOAD": "changes the users of the Redis server",
    "ACL SAVE": "changes the users of the Redis server",
    "CLUSTER RESET": "resets a node of the Redis cluster",
    "CLUSTER FORGET": "removes a node from the Redis cluster",
    "CLUSTER FLUSHSLOTS": "drops the slots of a Redis node",
    "CLUSTER DELSLOTS": "drops slots of a Redis node",
    "CLUSTER FAILOVER": "starts a failover of the Redis cluster",
    "CLIENT KILL": "ends connections of other clients",
    "XGROUP DESTROY": "drops a consumer group",
}
_CALM_DEBUG = frozenset(("OBJECT", "DIGEST", "SLEEP", "HELP", "JMAP"))
_LUA_CALL = re.compile(r"redis\.p?call\s*\(\s*['\"]([\w ]+)['\"]", re.IGNORECASE)


def effects(code: str) -> list[Effect]:
    """Return what Redis commands do besides reading and setting keys."""
    found: list[Effect] = []
    for line in code.splitlines()[:20_000]:
        found += _command(_words(line))
    return found


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def _command(words: list[str]) -> list[Effect]:
    # A number in front repeats the command.
    words = words[1:] if words and words[0].isdigit() else words
    if not words:
        return []
    name, rest = words[0].upper(), words[1:]
    first = rest[0].upper() if rest else ""
    if name.startswith(UNKNOWN):
        return [danger("opaque", "runs a Redis command that is only known when it runs")]
    if (
        name == "CONFIG"
        and first == "SET"
        and len(rest) > 1
        and rest[1].lower() in {"dir", "dbfilename"}
    ):
        return [danger("persistence", f"makes the Redis server write its data to {rest[-1]}")]
    if name == "DEBUG" and first not in _CALM_DEBUG:
        return [danger("database", "makes the Redis server crash or reload")]
    if name == "MIGRATE":
        return [
            Effect("send", rest[0] if rest else UNKNOWN),
            danger("database", "moves keys to another server"),
        ]
    if name in {"EVAL", "EVAL_RO", "EVALSHA", "FCALL"}:
        return _script(rest)
    what = _DANGERS.get(name) or _DANGERS.get(f"{name} {first}")
    return [danger("database", what)] if what else []


def _script(rest: list[str]) -> list[Effect]:
    called = [name.upper() for name in _LUA_CALL.findall(rest[0])] if rest else []
    found = [effect for name in called for effect in _command(name.split())]
    if "KEYS" in called and not {"DEL", "UNLINK"}.isdisjoint(called):
        found.append(danger("database", "deletes every key of a pattern"))
    return found
