"""Bring a changed line into the style of the file: what the writer did not mean stays."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hermes.services.files.patching.lines import DASHES, DOUBLE_QUOTES, SINGLE_QUOTES, straight

_STYLES = (("\"'", SINGLE_QUOTES + DOUBLE_QUOTES), ("-", DASHES))
_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)


class Edit(NamedTuple):
    """Some tokens and what takes their place."""

    start: int
    end: int
    tokens: list[str]


def merged(written: str, there: str, new: str) -> str:
    """Return a new line with what the file's line has otherwise than it was written.

    All three are without indentation and white space at their end.
    """
    if there in (written, new):
        return new
    if written == new:
        return there
    ours, theirs, wanted = _TOKEN.findall(written), _TOKEN.findall(there), _TOKEN.findall(new)
    if _likeness(theirs, wanted) >= _likeness(ours, wanted):
        return new  # it is in the style of the file already
    style = _edits(ours, theirs)
    result: list[str] = []
    matcher = difflib.SequenceMatcher(None, ours, wanted, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        result += _styled(ours, i1, i2, style) if tag == "equal" else wanted[j1:j2]
    return "".join(result)


def _likeness(ours: Sequence[str], theirs: Sequence[str]) -> float:
    return difflib.SequenceMatcher(None, ours, theirs, autojunk=False).ratio()


def _edits(ours: Sequence[str], theirs: Sequence[str]) -> list[Edit]:
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    return [
        Edit(i1, i2, list(theirs[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def _styled(ours: Sequence[str], start: int, end: int, style: Sequence[Edit]) -> Iterator[str]:
    """Yield kept tokens as the file has them."""
    at = start
    for edit in style:
        is_inside = start <= edit.start and edit.end <= end
        if not is_inside or (edit.start == edit.end and edit.start in (start, end)):
            continue
        yield from ours[at : edit.start]
        yield from edit.tokens
        at = edit.end
    yield from ours[at:end]


def marks(pairs: Sequence[tuple[str, str]], new: str) -> tuple[dict[int, str], set[str]]:
    """Return which curly marks of a new text are plain ones in the file, and which are doubtful.

    Whoever wrote curly ones for plain ones in the old text did so in the new one too; where the
    file or the new text has both, that is not clear.
    """
    found: dict[int, str] = {}
    doubtful: set[str] = set()
    for plain, curly in _STYLES:
        if not any(set(ours) & set(curly) and set(theirs) & set(plain) for ours, theirs in pairs):
            continue
        if set(plain) & set(new) or any(set(theirs) & set(curly) for _, theirs in pairs):
            doubtful |= set(curly)
        else:
            found |= {ord(mark): straight(mark) for mark in curly}
    return found, doubtful
