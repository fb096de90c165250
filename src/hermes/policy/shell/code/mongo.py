"""Tell what the Mongo shell does: collections dropped, documents deleted, users changed."""

from __future__ import annotations

import re

from hermes.policy.shell.code import node
from hermes.policy.shell.code.calls import Call, Code
from hermes.policy.shell.code.node import SYNTAX
from hermes.policy.shell.effects import Effect, danger

_FIXED = {
    "dropDatabase": "drops the whole database",
    "shutdownServer": "shuts the database server down",
    "dropIndexes": "drops the indexes of {}",
    "dropIndex": "drops an index of {}",
    "renameCollection": "renames the collection {}",
    "createUser": "makes a database user",
    "dropUser": "drops a database user",
    "dropAllUsers": "drops every database user",
    "updateUser": "changes a database user",
    "changeUserPassword": "changes the password of a database user",
    "grantRolesToUser": "grants rights in the database",
    "revokeRolesFromUser": "takes rights in the database away",
    "dropRole": "drops a database role",
    "killOp": "ends an operation of the database",
    "stepDown": "makes the primary of the replica set step down",
    "reconfig": "changes the replica set",
    "removeShard": "removes a shard",
    "fsyncLock": "locks the database",
    "setProfilingLevel": "changes the settings of the database server",
}
_EVERY = {
    "remove": "deletes every document of {}",
    "deleteMany": "deletes every document of {}",
    "updateMany": "changes every document of {}",
}
_COMMAND = re.compile(
    r"\b(drop|dropDatabase|shutdown|dropIndexes|setParameter|dropUser|createUser|eval)\b \"* ?:"
)
_NO_FILTER = re.compile(r"^(?:\{ (?:\n )?\}|$)")


def effects(code: str) -> list[Effect]:
    """Return what Mongo shell code does besides reading and adding documents."""
    script = Code(code, SYNTAX, {})
    found: list[Effect] = []
    for call in script.calls(lambda name: name.startswith(("rs.", "sh.")) or "db" in name):
        found += _call(call)
    if re.match(r"\s*(?:show|use|it|exit|help)\b[^\n();]*$", code):
        return []
    return found + node.effects(code)


def _call(call: Call) -> list[Effect]:
    parts = call.name.split(".")
    verb = parts[-1]
    owner = parts[-2] if len(parts) > 2 and "()" not in parts[-2] else "a collection"
    if verb in _FIXED:
        return [danger("database", _FIXED[verb].format(owner))]
    if verb == "drop":
        return [danger("database", f"drops {owner}")]
    if verb in _EVERY and _NO_FILTER.match(call.source.partition(" ,")[0].strip()):
        return [danger("database", _EVERY[verb].format(owner))]
    if verb in {"runCommand", "adminCommand"}:
        found = _COMMAND.search(call.source)
        return [danger("database", f"gives the server the command {found[1]}")] if found else []
    if verb == "aggregate" and re.search(r"\$(?:out|merge)\b", call.source):
        return [danger("database", "replaces a collection by the result of an aggregation")]
    if verb == "eval":
        return [danger("opaque", "runs code on the database server")]
    return []
