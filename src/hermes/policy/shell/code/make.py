"""Tell what a Makefile runs: the lines of its recipes and its calls of the shell."""

from __future__ import annotations

import re

from hermes.policy.shell.effects import UNKNOWN, Effect

_ASSIGNMENT = re.compile(r"^(?:export[ \t]+)?(\w+)[ \t]*[:?+]{0,2}=[ \t]*(.*)$")
_REFERENCE = re.compile(r"\$(?:\((\w+)\)|\{(\w+)\}|([@<^+?*%]))")
_SHELL = re.compile(r"\$\(shell[ \t]+((?:[^()]|\([^()]*\))*)\)")
_MOST = 20_000


def effects(code: str) -> list[Effect]:
    """Return every command that the recipes of a Makefile run."""
    names: dict[str, str] = {}
    found: list[Effect] = []
    for line in code.replace("\\\n", " ").splitlines()[:_MOST]:
        found += [Effect("run", _filled(match[1], names)) for match in _SHELL.finditer(line)]
        if line.startswith("\t"):
            command = _filled(_SHELL.sub(UNKNOWN, line.strip().lstrip("@-+ ")), names)
            found += [Effect("run", command)] if command and not command.startswith("#") else []
        elif assigned := _ASSIGNMENT.match(line.strip()):
            names[assigned[1]] = _filled(_SHELL.sub(UNKNOWN, assigned[2]), names)[:4000]
    return found


def _filled(text: str, names: dict[str, str]) -> str:
    """Return a line with the variables that the Makefile sets filled in."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if name in {"HOME", "CURDIR"}:
            return {"HOME": "~", "CURDIR": "."}[name]
        return names.get(name, UNKNOWN) if name else UNKNOWN

    return _REFERENCE.sub(value, text).replace("$$", "$")
