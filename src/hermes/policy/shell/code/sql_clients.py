"""Tell what the commands of SQL clients do: psql's backslash, sqlite's dot, mysql's words."""

from __future__ import annotations

import re

from hermes.policy.shell.effects import UNKNOWN, Effect, danger

_COPY_FILE = re.compile(
    r"\b(?P<way>from|to)\s+(?P<program>program\s+)?'?(?P<what>[^']+?)'?(?:\s+(?:with|csv|delimiter)\b.*|\s*)$",
    re.IGNORECASE,
)
_RUNS = frozenset(("\\!", ".shell", ".system", "system", "\\system"))
_READS = frozenset(("\\i", "\\ir", "\\include", ".read", "source", "\\.", ".import"))
_WRITES = frozenset((
    "\\o", "\\out", "\\w", "\\write", "\\g", ".output", ".once", ".backup", ".save", ".clone",
    ".log", ".excel", "tee", "\\T",
))  # fmt: skip
_PAGERS = frozenset(("pager", "\\P"))


def effects(command: str) -> list[Effect]:
    """Return what one command of a client does."""
    if command.startswith("\\!"):
        return [Effect("run", command[2:].strip())]
    name, _, rest = command.partition(" ")
    rest = rest.strip().rstrip(";")
    target = rest.strip("'\"")
    if name.lower() in _RUNS or (name in _PAGERS and rest):
        return [Effect("run", rest)]
    if name.lower() == "\\copy":
        return _copied(rest)
    if name.startswith("."):
        name = name.lower()
    if name in _READS:
        return [Effect("read", _last_option(target))] if target else []
    if name in _WRITES:
        return _written(target)
    if name == ".restore":
        return [danger("database", f"replaces the database by {target}")]
    if name == ".load":
        return [danger("opaque", f"loads native code from {target}")]
    if name in {"\\gexec", "\\e", "\\edit"}:
        return [danger("opaque", "runs SQL that is only known when it runs")]
    return []


def _written(target: str) -> list[Effect]:
    if not target or target in {"stdout", "off"}:
        return []
    if target.startswith("|"):
        return [Effect("run", target[1:].strip())]
    return [Effect("write", _last_option(target))]


def _last_option(target: str) -> str:
    words = [word for word in target.split() if not word.startswith("-")]
    return words[0] if words else UNKNOWN


def _copied(rest: str) -> list[Effect]:
    found = _COPY_FILE.search(rest)
    if found is None or found["what"].lower() in {"stdin", "stdout", "pstdin", "pstdout"}:
        return []
    if found["program"]:
        return [Effect("run", found["what"])]
    return [Effect("write" if found["way"].lower() == "to" else "read", found["what"])]
