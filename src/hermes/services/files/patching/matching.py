"""Find the places of a text that are what somebody wrote, the stricter ways first."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hermes.services.files.patching.indents import Translate, table, translation, unit_of
from hermes.services.files.patching.lines import Lines, indent_of, key, straight

STRATEGIES = (
    "exact",
    "trailing_whitespace",
    "indentation",
    "whitespace",
    "punctuation",
    "trimmed_boundary",
    "block_anchor",
)
"""How strictly lines match, the strictest first."""
_EXACT, _TRAILING, _INDENTATION, _WHITESPACE, _PUNCTUATION, _TRIMMED, _BLOCK = range(7)
_WORD = re.compile(r"\w+")
_MOST_PLACES = 5_000


class Place(NamedTuple):
    """Where lines that somebody wrote are in a file."""

    rank: int
    """How strictly they match: an index of STRATEGIES."""
    where: tuple[int, ...]
    """For each written line that is not blank, the index of the line in the file."""
    translate: Translate
    """How an indentation as written is one of the file."""
    is_trimmed: bool = False
    """Whether the first line was written without its indentation."""

    @property
    def strategy(self) -> str:
        """Return the name of the way in which they match."""
        return STRATEGIES[self.rank]


def exact_places(text: str, needle: str) -> list[tuple[int, int]]:
    """Return where a text has these very characters; kinds of line ends do not count.

    Places that overlap are all told: which of them is meant is not clear.
    """
    if "\r" not in text:
        needle = needle.replace("\r\n", "\n")
        return _occurrences(text, needle)
    plain = text.replace("\r\n", "\n")
    found = _occurrences(plain, needle.replace("\r\n", "\n"))
    if len(plain) == len(text) or not found:
        return found
    breaks = [at.start() - index for index, at in enumerate(re.finditer("\r\n", text))]
    return [
        (start + bisect.bisect_left(breaks, start), end + bisect.bisect_left(breaks, end))
        for start, end in found
    ]


def _occurrences(text: str, needle: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = text.find(needle)
    while at >= 0:
        found.append((at, at + len(needle)))
        at = text.find(needle, at + 1)
    return found


def line_places(lines: Lines, needle: Sequence[str]) -> list[Place]:
    """Return the places of whole lines, as strict as there are any."""
    places = sorted(all_line_places(lines, needle))
    return [place for place in places if place.rank == places[0].rank]


def all_line_places(lines: Lines, needle: Sequence[str]) -> list[Place]:
    """Return every place whose words are the same, however it is spaced."""
    written = [line for line in needle if line and not line.isspace()]
    if not written:
        return []
    anchor, candidates = _anchor(lines, written)
    found = {}
    for index in candidates:
        where = _walk(lines, written, anchor, index)
        if where is not None and where not in found:
            found[where] = _place(lines, needle, written, where)
        if len(found) > _MOST_PLACES:
            break
    return [place for place in found.values() if place is not None]


def _anchor(lines: Lines, written: Sequence[str]) -> tuple[int, Iterator[int]]:
    """Return a written line that can be looked for quickly, and the lines that may be it."""
    words = [
        (len(word), index, word) for index, line in enumerate(written) for word in _words_of(line)
    ]
    if not words:
        return 0, iter(range(len(lines)))
    _, anchor, word = max(words)
    return anchor, _lines_with(lines, word)


def _words_of(line: str) -> list[str]:
    return _WORD.findall(straight(line))


def _lines_with(lines: Lines, word: str) -> Iterator[int]:
    at, starts = lines.text.find(word), lines.starts
    while at >= 0:
        index = lines.at(at)
        yield index
        at = lines.text.find(word, starts[index + 1]) if index + 1 < len(starts) else -1


def _walk(lines: Lines, written: Sequence[str], anchor: int, index: int) -> tuple[int, ...] | None:
    """Return where all written lines are when one of them is here; blank lines do not count."""
    if key(lines.texts[index]) != key(written[anchor]):
        return None
    after = _follow(lines, written[anchor + 1 :], index, 1)
    if after is None:
        return None
    before = _follow(lines, written[:anchor][::-1], index, -1)
    return None if before is None else (*reversed(before), index, *after)


def _follow(lines: Lines, written: Sequence[str], index: int, step: int) -> list[int] | None:
    found: list[int] = []
    for line in written:
        index += step
        while 0 <= index < len(lines) and (not lines.texts[index] or lines.texts[index].isspace()):
            index += step
        if not 0 <= index < len(lines) or key(lines.texts[index]) != key(line):
            return None
        found.append(index)
    return found


def _place(
    lines: Lines, needle: Sequence[str], written: Sequence[str], where: tuple[int, ...]
) -> Place | None:
    """Return what is known of a place; None when its lines are nested in another way."""
    there = [lines.texts[index] for index in where]
    rank = max(map(_rank, written, there))
    pairs = [
        (indent_of(ours), indent_of(theirs)) for ours, theirs in zip(written, there, strict=True)
    ]
    translate, is_trimmed = _translation(lines, pairs)
    if is_trimmed:
        rank = max(rank, _TRIMMED)
    if translate is None:
        return None
    if has_more_blanks(lines, needle, where):
        rank = max(rank, _TRIMMED)
    if _gaps(needle) != [after - before for before, after in itertools.pairwise(where)]:
        rank = _BLOCK
    return Place(rank, where, translate, is_trimmed)


def _translation(lines: Lines, pairs: list[tuple[str, str]]) -> tuple[Translate | None, bool]:
    """Return how indentations translate, and whether the first line was written without one."""
    if all(ours == theirs for ours, theirs in pairs):
        return str, False
    unit = unit_of(lines.texts[:2_000])
    if found := translation(pairs, unit):
        return found, False
    if pairs[1:] and not pairs[0][0] and (found := translation(pairs[1:], unit)):
        return found, True
    return table(pairs), False


def has_more_blanks(lines: Lines, needle: Sequence[str], where: tuple[int, ...]) -> bool:
    """Say whether there are blank lines around the written ones that the file does not have."""
    solid = [index for index, line in enumerate(needle) if line.strip()]
    before = range(where[0] - solid[0], where[0])
    after = range(where[-1] + 1, where[-1] + len(needle) - solid[-1])
    return any(
        not 0 <= index < len(lines) or bool(lines.texts[index].strip())
        for index in (*before, *after)
    )


def _gaps(needle: Sequence[str]) -> list[int]:
    at = [index for index, line in enumerate(needle) if line and not line.isspace()]
    return [after - before for before, after in itertools.pairwise(at)]


def _rank(ours: str, theirs: str) -> int:
    """Return how strictly two lines of the same words match."""
    if ours == theirs:
        return _EXACT
    if ours.rstrip() == theirs.rstrip():
        return _TRAILING
    if ours.strip() == theirs.strip():
        return _INDENTATION
    if _same_but_spaces(ours, theirs):
        return _WHITESPACE
    return _PUNCTUATION


def _same_but_spaces(ours: str, theirs: str) -> bool:
    return "".join(ours.split()) == "".join(theirs.split())
