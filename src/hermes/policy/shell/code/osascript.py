"""Tell what AppleScript does: shell commands, power, the trash, other programs."""

from __future__ import annotations

import re

from hermes.policy.shell.effects import UNKNOWN, Category, Effect, danger

_TEXT = r'"((?:[^"\\]|\\.)*)"'
_COMMENT = re.compile(r"\(\*.*?(?:\*\)|\Z)|(?<!\S)--[^\n]*", re.DOTALL)
_SHELL = re.compile(
    rf"\b(?:do shell script|do script|doShellScript\s*\()\s*(?:{_TEXT}|'([^'\n]*)'|(\S+))"
)
_STRING = re.compile(_TEXT)
_DANGERS: tuple[tuple[str, Category, str], ...] = (
    (r"\bwith administrator privileges\b", "privilege", "asks for the rights of an administrator"),
    (r"\bshut down\b", "service", "shuts the computer down"),
    (r"\b(?:to )?restart\b", "service", "restarts the computer"),
    (r"\blog out\b", "service", "logs the user out"),
    (r"\bempty (?:the )?trash\b", "delete", "empties the trash"),
    (
        r"\bdelete (?:every|file|folder|all|item|alias|disk|POSIX)\b",
        "delete",
        "deletes files through the Finder",
    ),
    (r"\berase\b", "disk", "erases a disk"),
    (r"\b(?:keystroke|key code)\b", "opaque", "types keys into other programs"),
    (r"\bhidden answer\b", "exfiltration", "asks the user for a password"),
    (r"\bquit\b", "process", "quits a program"),
    (r"\bthe clipboard\b", "exfiltration", "reads the clipboard"),
    (r"\brun script\b", "opaque", "runs a script that is only known when it runs"),
    (r"\bmake (?:new )?login item\b", "persistence", "adds a login item"),
    (r"\bsend\b.*\bto buddy\b|\bsend (?:new)?message\b", "publish", "sends a message"),
)


def effects(code: str) -> list[Effect]:
    """Return what AppleScript does besides asking and showing."""
    code = _COMMENT.sub(" ", code)[:200_000]
    found = [Effect("run", _command(match)) for match in _SHELL.finditer(code)]
    bare = _STRING.sub('""', code)
    for pattern, category, what in _DANGERS:
        if re.search(pattern, bare, re.IGNORECASE):
            found.append(danger(category, what))
    return found


def _command(found: re.Match[str]) -> str:
    text = found[1] if found[1] is not None else found[2]
    if text is None:
        return UNKNOWN
    is_joined = found.string[found.end() : found.end() + 3].lstrip().startswith("&")
    return re.sub(r"\\(.)", r"\1", text) + (UNKNOWN if is_joined else "")
