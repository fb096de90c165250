"""Patches between ``*** Begin Patch`` and ``*** End Patch``, as Codex and V4A write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hermes.policy.patches import file_header
from hermes.services.files.patching.formats.deeds import Deed, Hunk, broken

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_END_OF_FILE = "*** End of File"
_NUMBERS = re.compile(r"-(\d+)(?:,\d+)? \+\d+(?:,\d+)?\s*(?:@@)?(.*)")
_BLANK = " \t"


def is_begun(rows: Sequence[str]) -> bool:
    """Say whether such a patch begins somewhere in these lines."""
    return any(row.strip(_BLANK) == _BEGIN for row in rows)


def has_files(rows: Sequence[str]) -> bool:
    """Say whether these lines have the header of a file, as such a patch has it."""
    return any(file_header(row) is not None for row in rows)


def read(rows: Sequence[str]) -> list[Deed]:
    """Return what such a patch does.

    Raises:
        ToolError: it cannot be read.
    """
    first, last = _span(rows)
    reader = _Reader()
    for index in range(first, last):
        reader.take(index, rows[index])
    reader.finish(last)
    return reader.deeds


def _span(rows: Sequence[str]) -> tuple[int, int]:
    """Return where the patch begins and ends; what is around it may be a fence or a heredoc."""
    plain = [row.strip(_BLANK) for row in rows]
    if _BEGIN not in plain and _END not in plain:
        first = next(at for at, row in enumerate(rows) if file_header(row) is not None)
        last = len(rows)
        while last > first and (not plain[last - 1] or plain[last - 1].startswith("```")):
            last -= 1
        return first, last
    first = plain.index(_BEGIN) + 1 if _BEGIN in plain else 0
    if _END not in plain[first:]:
        raise broken(f"it has no {_END}, so a part of it may be missing", len(rows) - 1)
    last = len(plain) - 1 - plain[::-1].index(_END)
    return first, last


class _Reader:
    """Takes the lines of a patch one by one."""

    def __init__(self) -> None:
        self.deeds: list[Deed] = []
        self.hunk: Hunk | None = None
        self.blanks = 0

    def take(self, index: int, row: str) -> None:
        """Take the next line."""
        plain = row.strip(_BLANK)
        if (header := file_header(row)) is not None and not self._is_context(row):
            self._begin(index, *header)
        elif plain == _END_OF_FILE:
            self._end_of_file(index)
        elif plain.startswith("*** ") and not row.startswith(("+", "-", " ")):
            raise broken(f"{plain!r} is no header that is known", index)
        elif not self.deeds:
            if plain:
                raise broken(f"{plain[:80]!r} is before the header of any file", index)
        elif self.deeds[-1].kind == "add":
            self._add(index, row)
        elif self.deeds[-1].kind == "delete":
            if plain:
                raise broken(f"{plain[:80]!r} follows a file that is deleted", index)
        else:
            self._change(row)

    def _is_context(self, row: str) -> bool:
        """Say whether a line that looks like a header is one that the file has."""
        return self.hunk is not None and bool(self.hunk.rows) and row.startswith(" ***")

    def _begin(self, index: int, verb: str, path: str, target: str) -> None:
        if verb == "Move to":
            self._move(index, path)
            return
        self.finish(index)
        if verb == "Move File":
            if not target:
                raise broken("*** Move File: needs the old and the new name: old -> new", index)
            self.deeds.append(Deed("update", path, target))
        elif verb == "Add File":
            self.deeds.append(Deed("add", path))
        elif verb == "Delete File":
            self.deeds.append(Deed("delete", path))
        else:
            self.deeds.append(Deed("update", path))

    def _move(self, index: int, target: str) -> None:
        deed = self.deeds[-1] if self.deeds else None
        if deed is None or deed.kind != "update" or deed.hunks or deed.target:
            raise broken("*** Move to: belongs right below *** Update File:", index)
        deed.target = target

    def _end_of_file(self, index: int) -> None:
        if not self.deeds:
            raise broken(f"{_END_OF_FILE} before the header of any file", index)
        if self.hunk is not None:
            self.hunk.is_at_end = True
            self.hunk = None
        self.blanks = 0

    def _add(self, index: int, row: str) -> None:
        if not row.strip(_BLANK):
            self.blanks += 1
        elif row.startswith("+"):
            self.deeds[-1].lines += [""] * self.blanks + [row[1:]]
            self.blanks = 0
        else:
            raise broken("each line of a new file begins with +", index)

    def _change(self, row: str) -> None:
        if row.startswith("@@"):
            self._hint(row[2:])
            return
        if not row and self.hunk is not None:
            self.blanks += 1  # a blank line that is there, or one before the next header
            return
        if not row:
            return
        if self.hunk is None:
            self._open()
        self._flush()
        assert self.hunk is not None
        if row.startswith("+"):
            self.hunk.rows.append(("+", row[1:]))
        elif row.startswith("-"):
            self.hunk.rows.append(("-", row[1:]))
        else:
            self.hunk.rows.append((" ", row.removeprefix(" ")))

    def _hint(self, text: str) -> None:
        if self.hunk is None or self.hunk.rows:
            self._flush()
            self._open()
        assert self.hunk is not None
        if numbers := _NUMBERS.match(text.strip()):
            self.hunk.line = max(0, int(numbers[1]) - 1)
            self.hunk.is_hint_sure = False
            text = numbers[2]
        hint = text.removesuffix("@@").strip()
        if hint:
            self.hunk.hints.append(hint)

    def _open(self) -> None:
        self.hunk = Hunk()
        self.deeds[-1].hunks.append(self.hunk)

    def _flush(self) -> None:
        if self.hunk is not None and self.hunk.rows:
            self.hunk.rows += [(" ", "")] * self.blanks
        self.blanks = 0

    def finish(self, index: int) -> None:
        """End the file that is being read."""
        self.hunk, self.blanks = None, 0
        deed = self.deeds[-1] if self.deeds else None
        if deed is None or deed.kind != "update":
            return
        if any(not hunk.rows for hunk in deed.hunks):
            raise broken(f"a hunk of {deed.path} has no lines", index)
        if not deed.hunks and not deed.target:
            raise broken(f"*** Update File: {deed.path} has no hunks", index)
