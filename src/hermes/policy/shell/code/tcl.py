"""Tell what Tcl and expect scripts do by their risky commands."""

from __future__ import annotations

import re
import shlex

from hermes.policy.shell.effects import UNKNOWN, Effect, danger

_COMMENT = re.compile(r"^\s*#[^\n]*|;\s*#[^\n]*", re.MULTILINE)
_COMMAND = re.compile(
    r"(?:^|[;\[{\n])[ \t]*(?P<name>exec|spawn|system|socket|eval|send|load"
    r"|file[ \t]+(?:delete|rename|copy|mkdir)|open|source)"
    r"(?:[ \t]+(?P<rest>(?:\"(?:[^\"\\]|\\.)*\"|[^\n;\]\"])*))?",
)
_WORD = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|\{([^{}]*)\}|(\S+)")


def effects(code: str) -> list[Effect]:
    """Return what a Tcl or expect script does besides computing and printing."""
    found: list[Effect] = []
    for match in _COMMAND.finditer(_COMMENT.sub("", code)):
        name = " ".join(match["name"].split())
        found += _command(name, (match["rest"] or "").strip())
    return found


def _words(rest: str) -> list[str]:
    words = []
    for match in _WORD.finditer(rest):
        text = next((group for group in match.groups() if group is not None), "")
        words.append(
            text if match[2] is not None else re.sub(r"\$\{?[\w:]+\}?|\[.*", UNKNOWN, text)
        )
    return words


def _command(name: str, rest: str) -> list[Effect]:
    words = _words(rest)
    options = [word for word in words if word.startswith("-")]
    operands = [word for word in words if not word.startswith("-")]
    if name in {"exec", "spawn", "system"}:
        return [Effect("run", _plain(rest))]
    if name == "file delete":
        is_recursive = "-force" in options
        return [Effect("delete", path, is_recursive=is_recursive) for path in operands]
    if name in {"file rename", "file copy"} and len(operands) > 1:
        is_moved = name == "file rename"
        return [
            Effect("write" if is_moved else "read", operands[0]),
            Effect("write", operands[-1]),
        ]
    if name == "open" and operands:
        return _opened(operands)
    return _others(name, operands)


def _others(name: str, operands: list[str]) -> list[Effect]:
    first = operands[0] if operands else UNKNOWN
    if name == "source":
        return [Effect("script", first)]
    if name == "socket":
        return [Effect("net", first)]
    if name == "eval" and UNKNOWN in first:
        return [danger("opaque", "runs code that is only known when it runs")]
    if name == "load":
        return [danger("opaque", "loads native code")]
    if name == "send" and " " in first and not first.startswith(UNKNOWN):
        return [Effect("run", first.replace("\\r", "").replace("\\n", ""))]
    return []


def _opened(operands: list[str]) -> list[Effect]:
    path, mode = operands[0], operands[1] if len(operands) > 1 else "r"
    if path.startswith("|"):
        return [Effect("run", path[1:].strip())]
    return [Effect("write" if set(mode) & set("wa+") else "read", path)]


def _plain(rest: str) -> str:
    text = re.sub(r"^(?:-\w+\s+)+", "", rest.rstrip(" \t"))
    if "{" not in text:
        return re.sub(r"\$\{?[\w:]+\}?", UNKNOWN, text.rstrip("} \t"))
    return shlex.join(_words(text))
