"""Which files a patch changes, by every header that a program might go by."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = r'("(?:\\.|[^"\\\n])*"|[^\t\r\n]+)'
_FILE = r"[ \t]*\*\*\* ((?:Add|Update|Delete|Move) File|Move to):[ \t]*([^\r\n]*\S)"
_SIDES = rf"--- {_NAME}[^\n]*\n\+\+\+ {_NAME}"
_MOVED = rf"(?:rename|copy) (?:from|to) {_NAME}"
_GIT = r"diff --git .*? (\"?b/[^\r\n]*)"
_HEADERS = re.compile(
    rf"^{_FILE}|^{_SIDES}|^{_MOVED}|^{_GIT}|^Index: {_NAME}",
    re.MULTILINE,
)
_ARROW = " -> "
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r"}


def changed_files(patch: str) -> Iterator[str]:
    """Yield the files that a patch names: both sides of a change, since either may be taken."""
    seen = {"/dev/null"}
    for found in _HEADERS.finditer(patch):
        for path in _named(found):
            if path not in seen:
                seen.add(path)
                yield path


def _named(found: re.Match[str]) -> Iterator[str]:
    verb, name, old, new, moved, git, index = found.groups()
    if verb:
        yield from filter(None, _parted(verb, name))
    for side in (old, new, git):
        if side:
            yield _plain(side, is_side=True)
    for side in (moved, index):
        if side:
            yield _plain(side, is_side=False)


def file_header(row: str) -> tuple[str, str, str] | None:
    """Return verb, file and where it goes to of a ``*** Update File:`` line or one like it."""
    found = re.match(_FILE, row)
    return (found[1], *_parted(found[1], found[2])) if found else None


def _parted(verb: str, name: str) -> tuple[str, str]:
    """Return a file and where it goes to, which one of the headers names too."""
    if verb != "Move File" or _ARROW not in name:
        return _plain(name, is_side=False), ""
    source, _, target = name.rpartition(_ARROW)
    return _plain(source, is_side=False), _plain(target, is_side=False)


def sides(old: str, new: str) -> tuple[str, str] | None:
    """Return the files that a ``---`` line and the ``+++`` line below it name."""
    found = re.match(_SIDES, f"{old}\n{new}")
    return (_plain(found[1], is_side=True), _plain(found[2], is_side=True)) if found else None


def moved(row: str) -> str | None:
    """Return the file that a ``rename from`` line or one like it names."""
    found = re.match(_MOVED, row)
    return _plain(found[1], is_side=False) if found else None


def git_file(row: str) -> str | None:
    """Return the file that a ``diff --git`` line names, if it names the same one twice."""
    found = re.match(_GIT, row)
    name = _plain(found[1], is_side=True) if found else ""
    is_same = found is not None and found[1] in (f"b/{name}", f'"b/{name}"')
    return (
        name
        if is_same and row.startswith((f"diff --git a/{name} ", f'diff --git "a/{name}" '))
        else None
    )


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
