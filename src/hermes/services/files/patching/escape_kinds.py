"""Tell which kinds of escapes a text was written with, where its line ends are plain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

ESCAPE = r"\\\\n|\\[ntr\"'\\/]"
MEANINGS = {
    r"\n": "\n",
    r"\t": "\t",
    r"\r": "\r",
    r"\"": '"',
    r"\'": "'",
    r"\\": "\\",
    r"\/": "/",
    r"\\n": r"\n",
}
_BACKSLASH = r"\\"


class _Hand(NamedTuple):
    """What somebody escaped, as an old text shows it."""

    kinds: frozenset[str]
    """The escapes that stand for something else."""
    kept: frozenset[str]
    """The escapes that stand for themselves, or sometimes do."""
    has_tabs: bool


def by_kinds(old: str, meanings: Sequence[str], new: str) -> str | None:
    """Return a new text without the kinds of escapes that an old one was written with too often.

    None when an escape could be meant in two ways. A line of the old text becomes what it is in
    the file, whatever is in it.
    """
    found = list(zip(re.findall(ESCAPE, old), meanings, strict=True))
    kept = frozenset(escape for escape, mark in found if escape == mark)
    kinds = frozenset(escape for escape, mark in found if escape != mark)
    if r"\\n" in kinds:
        kinds |= {_BACKSLASH}
    hand = _Hand(kinds, kept, "\t" in old)
    real = iter(meanings)
    there = re.sub(ESCAPE, lambda _: next(real), old)
    known = dict(zip(old.split("\n"), there.split("\n"), strict=True))
    rows = [known.get(row, _meant(row, hand)) for row in new.split("\n")]
    return None if None in rows else "\n".join(row for row in rows if row is not None)


def _meant(row: str, hand: _Hand) -> str | None:
    """Return one new line as it was meant."""
    tokens = ESCAPE if _BACKSLASH in hand.kinds else _any_of(hand.kinds)
    made: list[str] = []
    is_indent = True
    for index, part in enumerate(re.split(f"({tokens})", row)):
        meaning: str | None = part
        if index % 2:
            meaning = _meaning(part, hand, is_indent=is_indent)
        elif not _is_clear(part, hand):
            return None
        if meaning is None:
            return None
        made.append(meaning)
        is_indent = is_indent and not meaning.strip()
    return "".join(made)


def _any_of(kinds: frozenset[str]) -> str:
    return "|".join(re.escape(kind) for kind in sorted(kinds)) or "(?!)"


def _meaning(escape: str, hand: _Hand, *, is_indent: bool) -> str | None:
    if escape in hand.kept:
        return None
    if escape in hand.kinds or escape in (r"\"", r"\\n"):
        return MEANINGS[escape]
    if escape == r"\t" and is_indent and not hand.has_tabs:
        return "\t"
    return None


def _is_clear(part: str, hand: _Hand) -> bool:
    """Say whether what is left of a line means itself."""
    if any(MEANINGS[kind] in part for kind in hand.kinds - {r"\/"}):
        return False
    doubtful = [r"\\\\", *(r"\\" + mark for mark in "\"'" if rf"\{mark}" not in hand.kept)]
    if not hand.has_tabs and r"\t" not in hand.kept:
        doubtful.append(r"\\t")
    return re.search("|".join(doubtful), part) is None
