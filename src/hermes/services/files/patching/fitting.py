"""Fit new lines to a place: its indentation, its spacing, its quotes and its line ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hermes.services.files.patching.indents import (
    Indented,
    is_as_written,
    may_be_scaled,
    unit_of,
)
from hermes.services.files.patching.lines import Line, Lines, indent_of, key
from hermes.services.files.patching.matching import Place
from hermes.services.files.patching.merging import marks, merged
from hermes.services.files.patching.script import Row

_DOUBTFUL = "it cannot be told which quotes or dashes of new_string are meant to be curly"
_DIRECTIVE = re.compile(
    r"\s*#(?:if|ifdef|ifndef|elif|else|endif|define|undef|include|pragma|error|line)\b"
)
_UNKNOWN = "it cannot be told how new_string is indented against the file"


class Unfit(ValueError):
    """New lines of which cannot be told how they would be indented in the file."""


class Region(NamedTuple):
    """Lines of a file, and the lines that take their place."""

    first: int
    last: int
    """The index of the line after the last."""
    lines: list[Line]


class Fitted(NamedTuple):
    """One row of an edit, with the index of the line in the file."""

    at: int | None
    written: str
    new: str | None


def fit(lines: Lines, place: Place, old: Sequence[str], rows: Sequence[Row]) -> Region:
    """Return the lines of a place as an edit leaves them.

    Raises:
        Unfit: nothing tells how new lines are indented.
    """
    fitted = _with_blanks(lines, place, old, rows)
    at = [row.at for row in fitted if row.at is not None]
    first, last = min(at), max(at) + 1
    end = lines.end_near(first, last)
    hand = _Hand(lines, place, fitted)
    made: list[Line] = []
    for row in fitted:
        if row.new is None:
            continue
        text = hand.line(row)
        is_kept = row.at is not None and lines.texts[row.at] == text
        made.append(Line(text, lines.ends[row.at] if is_kept and row.at is not None else end))
    if made and last == len(lines):
        made = [line._replace(end=line.end or end) for line in made[:-1]] + made[-1:]
    return Region(first, last, made)


class _Hand:
    """Writes new lines as the file would have them."""

    def __init__(self, lines: Lines, place: Place, rows: Sequence[Fitted]) -> None:
        self.lines, self.place = lines, place
        known = [row for row in rows if row.at is not None and row.written.strip()]
        pairs = [(row.written, lines.texts[row.at or 0]) for row in known]
        self.first = known[0].at if place.is_trimmed else None
        new = [row for row in rows if row.new is not None and row.new.strip()]
        self.head = new[0] if new and place.is_trimmed else None
        self.is_head_doubtful = place.is_trimmed and self._is_doubtful(new)
        self.is_as_written = self._is_as_written(known, new)
        self.translate = place.translate if self.is_as_written else str
        self.marks, self.doubtful = marks(
            [(ours.strip(), theirs.strip()) for ours, theirs in pairs],
            "".join(row.new or "" for row in new),
        )
        self.is_padded = any(
            len(_tail(row.written).expandtabs()) > len(_tail(lines.texts[row.at]).expandtabs())
            for row in rows
            if row.at is not None
        )

    def _is_as_written(self, known: Sequence[Fitted], new: Sequence[Fitted]) -> bool:
        rows = [row for row in known if row.at != self.first] or known
        pairs = [(indent_of(row.written), indent_of(self.lines.texts[row.at or 0])) for row in rows]
        if all(ours == theirs for ours, theirs in pairs):
            return False
        new = [row for row in new if row is not self.head]
        new = [row for row in new if not _stands_alone(row)] or new
        indents = [indent_of(row.new or "") for row in new]
        if all(self.place.translate(indent) == indent for indent in set(indents)):
            return False
        answer = is_as_written(pairs, [self._indented(row) for row in new])
        if answer is None:
            raise Unfit(_UNKNOWN)
        unit = unit_of(self.lines.texts[:2_000])
        if answer and may_be_scaled(pairs, indents, self.place.translate, unit):
            raise Unfit(_UNKNOWN)
        return answer

    def _is_doubtful(self, new: Sequence[Fitted]) -> bool:
        """Say whether a new first line without indentation may be meant so, others being less."""
        if not new or new[0].at is not None or any(row.at == self.first for row in new):
            return False
        depth = len(indent_of(self.lines.texts[self.first or 0]).expandtabs(8))
        return any(len(indent_of(row.new or "").expandtabs(8)) < depth for row in new[1:])

    def _indented(self, row: Fitted) -> Indented:
        new = row.new or ""
        if row.at is None or not row.written.strip():
            return Indented(indent_of(new))
        there = indent_of(self.lines.texts[row.at])
        is_same = key(new) == key(row.written)
        return Indented(indent_of(new), indent_of(row.written), there, is_same)

    def line(self, row: Fitted) -> str:
        """Return one new line."""
        new = row.new or ""
        if row.at is None:
            return self._inserted(row, new)
        there = self.lines.texts[row.at]
        if not new.strip():
            is_kept = not row.written.strip() and (self.is_padded or new == row.written)
            return there if is_kept else self._blank(new)
        body = merged(row.written.strip(), there.strip(), new.strip()).translate(self.marks)
        if new.strip() == row.written.strip():
            body = there.strip()
        if any(body.count(mark) > there.count(mark) for mark in self.doubtful):
            raise Unfit(_DOUBTFUL)
        return self._indent(row, new) + body + self._tail(row, new, there)

    def _inserted(self, row: Fitted, new: str) -> str:
        if not new.strip():
            return self._blank(new)
        if set(new) & self.doubtful:
            raise Unfit(_DOUBTFUL)
        tail = "" if self.is_padded else _tail(new)
        return self._indent(row, new) + new.strip().translate(self.marks) + tail

    def _blank(self, new: str) -> str:
        """Return a line of nothing but white space, without what was written too much."""
        indent = "" if self.is_padded else self.translate(new)
        is_deeper = indent is not None and len(indent) > len(new) and "\t" not in new
        return new if indent is None or not new or is_deeper else indent

    def _tail(self, row: Fitted, new: str, there: str) -> str:
        """Return the white space at the end of a line that has a line of the file behind it."""
        ours, tail, kept = _tail(row.written), _tail(new), _tail(there)
        if new.strip() == row.written.strip() and tail == ours:
            return kept
        if not self.is_padded or not tail:
            return tail
        return kept if set(new.split()) & set(row.written.split()) else ""

    def _indent(self, row: Fitted, new: str) -> str:
        written = indent_of(new)
        if row is self.head:
            if not written and self.is_head_doubtful:
                raise Unfit(_UNKNOWN)
            at = self.first if row.at is None else row.at
            there = indent_of(self.lines.texts[at or 0])
            return written if written else there
        is_known = row.at is not None and bool(row.written.strip())
        if self.is_as_written and is_known and written == indent_of(row.written):
            return indent_of(self.lines.texts[row.at or 0])
        indent = self.translate(written)
        if indent is None:
            raise Unfit(_UNKNOWN)
        return indent


def _stands_alone(row: Fitted) -> bool:
    """Say whether a line is added that may be at the margin whatever is around it."""
    return row.at is None and _DIRECTIVE.match(row.new or "") is not None


def _tail(line: str) -> str:
    """Return the white space that a line ends with."""
    return line[len(line.rstrip()) :]


def _with_blanks(
    lines: Lines, place: Place, old: Sequence[str], rows: Sequence[Row]
) -> list[Fitted]:
    """Return the rows by lines of the file: blank lines as many as those of the file."""
    homes = _homes(lines, place, old)
    removed = {row.old for row in rows if row.new is None}
    fitted: list[Fitted] = []
    for row in rows:
        if row.old is None:
            fitted.append(Fitted(None, "", row.new))
        elif row.old in homes:
            for extra in homes[row.old][1:]:
                is_gone = row.old - 1 in removed and not old[row.old - 1].strip()
                fitted.append(Fitted(extra, "", None if is_gone else ""))
            fitted.append(Fitted(homes[row.old][0], old[row.old], row.new))
        elif row.new is not None and row.new.strip():
            fitted.append(Fitted(None, "", row.new))
    return fitted


def _homes(lines: Lines, place: Place, old: Sequence[str]) -> dict[int, list[int]]:
    """Return for each old line its line in the file, and blank ones before it that were left out.

    A blank line that the file does not have has none.
    """
    homes: dict[int, list[int]] = {}
    solid = [index for index, line in enumerate(old) if line.strip()]
    lead = solid[0]
    for step in range(1, lead + 1):
        at = place.where[0] - step
        if at < 0 or lines.texts[at].strip():
            break
        homes[lead - step] = [at]
    for index, at, before, above in zip(
        solid, place.where, [-1, *solid], [-1, *place.where], strict=False
    ):
        homes[index] = [at]
        if before >= 0:
            blanks, there = range(before + 1, index), range(above + 1, at)
            homes |= {ours: [theirs] for ours, theirs in zip(blanks, there, strict=False)}
            homes[index] += there[len(blanks) :]
    for step in range(1, len(old) - solid[-1]):
        at = place.where[-1] + step
        if at >= len(lines) or lines.texts[at].strip():
            break
        homes[solid[-1] + step] = [at]
    return homes
