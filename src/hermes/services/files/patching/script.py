"""What an edit does line by line: keep, change, remove, insert."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import NamedTuple

from hermes.services.files.patching.lines import key


class Row(NamedTuple):
    """One line of an edit: the index of an old line, what it becomes, or both."""

    old: int | None
    new: str | None
    """None when the line is removed."""


def script(old: Sequence[str], new: Sequence[str]) -> list[Row]:
    """Return how old lines become new ones; the same words under another indent are one line."""
    ours, theirs = [line.strip() for line in old], [line.strip() for line in new]
    head = _common(ours, theirs)
    tail = _common(ours[head:][::-1], theirs[head:][::-1])
    middle = slice(head, len(ours) - tail), slice(head, len(theirs) - tail)
    rows = [Row(index, new[index]) for index in range(head)]
    matcher = difflib.SequenceMatcher(None, ours[middle[0]], theirs[middle[1]], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        lines = new[head + j1 : head + j2]
        if tag == "equal":
            rows += [Row(head + i1 + at, line) for at, line in enumerate(lines)]
        else:
            rows += paired(old, range(head + i1, head + i2), lines)
    return rows + [Row(len(old) - tail + at, new[len(new) - tail + at]) for at in range(tail)]


def _common(ours: Sequence[str], theirs: Sequence[str]) -> int:
    pairs = zip(ours, theirs, strict=False)
    return next(
        (at for at, pair in enumerate(pairs) if pair[0] != pair[1]), min(len(ours), len(theirs))
    )


def paired(old: Sequence[str], removed: Sequence[int], new: Sequence[str]) -> list[Row]:
    """Return rows for lines that were taken out and put in: those that belong together as one."""
    if len(removed) == len(new):
        return [Row(index, line) for index, line in zip(removed, new, strict=True)]
    rows: list[Row] = []
    keys = [key(line) for line in new]
    at = 0
    for index in removed:
        same = key(old[index])
        if same and same in keys[at:]:
            found = keys.index(same, at)
            rows += [Row(None, line) for line in new[at:found]]
            rows.append(Row(index, new[found]))
            at = found + 1
        else:
            rows.append(Row(index, None))
    return rows + [Row(None, line) for line in new[at:]]
