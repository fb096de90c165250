"""Which files a patch changes, by every header that a program might go by."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = r'("(?:\\.|[^"\\\n])*"|[^\t\r\n]+)'
_HEADERS = re.compile(
    r"^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to):[ \t]*([^\r\n]*\S)"
    rf"|^--- {_NAME}[^\n]*\n\+\+\+ {_NAME}"
    rf"|^(?:rename|copy) (?:from|to) {_NAME}"
    rf"|^diff --git .*? (\"?b/[^\r\n]*)"
    rf"|^Index: {_NAME}",
    re.MULTILINE,
)
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r"}


def changed_files(patch: str) -> Iterator[str]:
    """Yield the files that a patch names: both sides of a change, since either may be taken."""
    seen = {"/dev/null"}
    for found in _HEADERS.finditer(patch):
        for at, name in enumerate(found.groups(), start=1):
            path = _plain(name, is_side=at in (2, 3, 5)) if name else "/dev/null"
            if path not in seen:
                seen.add(path)
                yield path


def _plain(name: str, *, is_side: bool) -> str:
    """Return a name without git's quotes, and without the letter of its side."""
    name = name.strip()
    if name.startswith('"') and name.endswith('"') and len(name) > 1:
        name = (
            _ESCAPE.sub(_letter, name[1:-1]).encode("latin-1", "replace").decode(errors="replace")
        )
    return name[2:] if is_side and name.startswith(("a/", "b/")) else name


def _letter(escape: re.Match[str]) -> str:
    inside = escape[1]
    if inside[0] in "01234567":
        return chr(int(inside, 8) & 0xFF)
    return _LETTERS.get(inside, inside)
