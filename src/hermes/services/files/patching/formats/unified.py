"""Unified diffs, also with git's headers; what they say of line numbers is only a hint."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hermes.base.errors import ToolError
from hermes.policy.patches import git_file, moved, sides
from hermes.services.files.patching.formats.deeds import Deed, Hunk, broken

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@ ?(.*)")
_GIT = "diff --git "
_ABSENT = "/dev/null"
_NOTHING = re.compile(r"```|EOF$|\*\*\* (?:Begin|End) Patch|Index: |=====|-- $|index |[\w ]+ mode ")


def is_unified(rows: Sequence[str]) -> bool:
    """Say whether these lines are a unified diff."""
    return any(
        row.startswith(_GIT) or (row.startswith("--- ") and _is_header(rows, at))
        for at, row in enumerate(rows)
    )


def read(rows: Sequence[str]) -> list[Deed]:
    """Return what a diff does.

    Raises:
        ToolError: it cannot be read.
    """
    found: list[Deed] = []
    at = 0
    while at < len(rows):
        if rows[at].startswith(_GIT):
            at = _git(rows, at, found)
        elif _is_header(rows, at):
            at = _file(rows, at, found)
        elif _HUNK.match(rows[at]):
            raise broken("a hunk without the --- and +++ lines of its file", at)
        else:
            at += 1  # what is said around a diff
    return found


def _is_header(rows: Sequence[str], at: int) -> bool:
    return at + 1 < len(rows) and sides(rows[at], rows[at + 1]) is not None


def _git(rows: Sequence[str], at: int, found: list[Deed]) -> int:
    """Read the header that git writes, and the hunks below it."""
    deed = Deed("update", git_file(rows[at]) or "")
    start, at = at, at + 1
    while at < len(rows) and not rows[at].startswith(_GIT) and not _is_header(rows, at):
        _say(deed, rows[at], at)
        at += 1
    if at < len(rows) and _is_header(rows, at):
        return _file(rows, at, found, deed)
    if not deed.path:
        raise broken("the names of the file cannot be read", start)
    if deed.kind == "update" and not deed.target and not deed.note:
        raise broken(f"nothing happens to {deed.path}", start)
    found.append(deed)
    return at


def _say(deed: Deed, row: str, at: int) -> None:
    """Take in one line of git's header."""
    if row.startswith("new file mode"):
        deed.kind, deed.is_strict = "add", True
    elif row.startswith("deleted file mode"):
        deed.kind = "delete"
    elif row.startswith(("new mode", "old mode")):
        deed.note = "changes of a file's mode are not made"
    elif row.startswith("rename from "):
        deed.path = moved(row) or ""
    elif row.startswith("rename to "):
        deed.target = moved(row) or ""
    elif row.startswith(("copy from ", "GIT binary patch", "Binary files ")):
        raise broken(f"{row!r} cannot be done by this tool", at)


def _file(rows: Sequence[str], at: int, found: list[Deed], deed: Deed | None = None) -> int:
    """Read the hunks of a file."""
    names = sides(rows[at], rows[at + 1])
    assert names is not None
    deed = _named(names, deed)
    start, at = at, at + 2
    while at < len(rows) and (header := _HUNK.match(rows[at])):
        at = _hunk(rows, at, header, deed)
    if not deed.hunks:
        raise broken(f"{deed.path} has no hunks", start)
    if deed.kind == "add":
        _as_new(deed)
    found.append(deed)
    return at


def _named(names: tuple[str, str], deed: Deed | None) -> Deed:
    """Return what happens to a file by the names of its sides."""
    old, new = names
    deed = deed or Deed("update", "")
    if old == _ABSENT:
        deed.kind, deed.path, deed.is_strict = "add", new, True
    elif new == _ABSENT:
        deed.kind, deed.path = "delete", old
    elif not deed.target:
        deed.path = new
        deed.other = old if old != new else ""
    return deed


def _as_new(deed: Deed) -> None:
    if any(mark != "+" for hunk in deed.hunks for mark, _ in hunk.rows):
        raise ToolError(
            f"{deed.path} is new in this patch, and so cannot have old lines",
            code="invalid_patch",
        )
    deed.lines = [text for hunk in deed.hunks for text in hunk.new]
    deed.is_open = bool(deed.hunks[-1].is_open)
    deed.hunks = []


def _hunk(rows: Sequence[str], at: int, header: re.Match[str], deed: Deed) -> int:
    """Read one hunk: as many lines as it says, or as many as look like its own."""
    counted = _counted(rows, at + 1, int(header[2] or 1), int(header[3] or 1))
    last = counted if counted is not None else _guessed(rows, at + 1)
    start = max(0, int(header[1]) - 1) if header[2] != "0" else int(header[1])
    hunk = Hunk([header[4].strip()] if header[4].strip() else [], [], start, is_hint_sure=False)
    for row in rows[at + 1 : last]:
        _take(hunk, row)
    if not any(mark != " " for mark, _ in hunk.rows):
        raise broken("a hunk that changes nothing", at)
    deed.hunks.append(hunk)
    return last


def _take(hunk: Hunk, row: str) -> None:
    if row.startswith("\\"):
        is_old = bool(hunk.rows) and hunk.rows[-1][0] == "-"
        hunk.is_open = hunk.is_open if is_old else True
        hunk.is_at_end = True
    elif row.startswith("+"):
        hunk.rows.append(("+", row[1:]))
    elif row.startswith("-"):
        hunk.rows.append(("-", row[1:]))
    else:
        hunk.rows.append((" ", row.removeprefix(" ")))


def _counted(rows: Sequence[str], at: int, old: int, new: int) -> int | None:
    """Return where a hunk ends by what its header says; None when that cannot be true."""
    while (old > 0 or new > 0) and at < len(rows):
        mark = rows[at][:1]
        if mark not in ("", " ", "-", "+", "\\"):
            return None
        old -= mark in ("", " ", "-")
        new -= mark in ("", " ", "+")
        at += 1
    if old or new:
        return None
    while at < len(rows) and rows[at].startswith("\\"):
        at += 1
    return at if at == len(rows) or _is_after(rows, at) else None


def _is_after(rows: Sequence[str], at: int) -> bool:
    """Say whether a line can stand below a hunk; a blank one can if no line of a hunk follows."""
    while at < len(rows) and not rows[at]:
        at += 1
    if at == len(rows) or rows[at][0] not in " +-\\":
        return True
    return _is_header(rows, at) or rows[at] == "-- "


def _guessed(rows: Sequence[str], at: int) -> int:
    """Return where a hunk ends by the look of it: its numbers are wrong."""
    while at < len(rows):
        row = rows[at]
        is_other = row.startswith(("@@ ", _GIT)) or _NOTHING.match(row) is not None
        if is_other or (_is_header(rows, at) and at + 2 < len(rows) and rows[at + 2][:2] == "@@"):
            break
        at += 1
    while rows[at - 1] == "":
        at -= 1
    return at
