"""Bring a changed line into the style of the file: what the writer did not mean stays."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hermes.services.files.patching.lines import (
    DASHES,
    DOTS,
    DOUBLE_QUOTES,
    SINGLE_QUOTES,
    SPACES,
    straight,
)

_STYLES = (
    (("'", SINGLE_QUOTES), ('"', DOUBLE_QUOTES)),
    (("-", DASHES),),
    (("...", DOTS),),
    ((" ", SPACES),),
)
_USUAL = "\u2018\u2019\u201c\u201d"
_MOST_COMPARED = 1_000_000
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
    for tag, i1, i2, j1, j2 in _opcodes(ours, wanted):
        result += _styled(ours, i1, i2, style) if tag == "equal" else wanted[j1:j2]
    return "".join(result)


def _likeness(ours: Sequence[str], theirs: Sequence[str]) -> float:
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    return matcher.quick_ratio() if len(ours) * len(theirs) > _MOST_COMPARED else matcher.ratio()


def _opcodes(
    ours: Sequence[str], theirs: Sequence[str]
) -> Sequence[tuple[str, int, int, int, int]]:
    """Return how tokens become others; what lies between two far ends of a long line is one."""
    head = _common(ours, theirs)
    tail = _common(ours[head:][::-1], theirs[head:][::-1])
    i2, j2 = len(ours) - tail, len(theirs) - tail
    if (i2 - head) * (j2 - head) > _MOST_COMPARED:
        ends = ("equal", i2, len(ours), j2, len(theirs))
        return [("equal", 0, head, 0, head), ("replace", head, i2, head, j2), ends]
    return difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()


def _common(ours: Sequence[str], theirs: Sequence[str]) -> int:
    pairs = zip(ours, theirs, strict=False)
    return next(
        (at for at, (one, other) in enumerate(pairs) if one != other), min(len(ours), len(theirs))
    )


def _edits(ours: Sequence[str], theirs: Sequence[str]) -> list[Edit]:
    """Return what is otherwise in tokens that are the same but for their style."""
    edits: list[Edit] = []
    at, to = 0, 0
    while at < len(ours) or to < len(theirs):
        start, begin = at, to
        at, to = _stretch(ours, theirs, at, to)
        if list(ours[start:at]) != list(theirs[begin:to]):
            edits.append(Edit(start, at, list(theirs[begin:to])))
    return edits


def _stretch(ours: Sequence[str], theirs: Sequence[str], at: int, to: int) -> tuple[int, int]:
    """Return where the next tokens end that say the same; such as say nothing stand alone."""
    is_mine = at < len(ours) and not _bare(ours[at])
    is_other = to < len(theirs) and not _bare(theirs[to])
    if is_mine or is_other:
        return at + is_mine, to + is_other
    mine, other = "", ""
    while at < len(ours) or to < len(theirs):
        if at < len(ours) and (len(mine) <= len(other) or to == len(theirs)):
            mine, at = mine + _bare(ours[at]), at + 1
        else:
            other, to = other + _bare(theirs[to]), to + 1
        if mine == other:
            break
    return at, to


def _bare(token: str) -> str:
    return straight(token).strip()


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
    for style in _STYLES:
        every = "".join(curly for _, curly in style)
        if not any(_count(ours, every) > _count(theirs, every) for ours, theirs in pairs):
            continue
        for plain, curly in style:
            is_mixed = plain in new and not any(plain in ours for ours, _ in pairs)
            if (is_mixed and plain != " ") or any(_count(theirs, curly) for _, theirs in pairs):
                doubtful |= set(curly)
            else:
                found |= {ord(mark): plain for mark in curly if _is_meant(mark, pairs)}
    return found, doubtful


def _is_meant(mark: str, pairs: Sequence[tuple[str, str]]) -> bool:
    """Say whether a mark stands for a plain one: it does in the old text, or is a usual quote."""
    return mark in _USUAL or any(ours.count(mark) > theirs.count(mark) for ours, theirs in pairs)


def _count(text: str, marks: str) -> int:
    return 0 if text.isascii() else sum(text.count(mark) for mark in marks)
