"""A text as lines that keep their ends, and what two lines have in common."""

from __future__ import annotations

import bisect
import functools
import itertools
import re
from typing import NamedTuple

_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r)|([^\r\n]+)\Z")
_INDENT = re.compile(r"[ \t\xa0\u3000]*")
_LOOSE_GAP = re.compile(r"(?<!\w) | (?!\w)")
SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u00b4"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"
DOTS = "\u2026"
SPACES = "\xa0\u2007\u202f"
"""Spaces that do not break; a line may be indented by them too."""
_UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_PUNCTUATION = {
    **dict.fromkeys(map(ord, SINGLE_QUOTES), "'"),
    **dict.fromkeys(map(ord, DOUBLE_QUOTES), '"'),
    **dict.fromkeys(map(ord, DASHES), "-"),
    **dict.fromkeys(map(ord, _UNSEEN), ""),
    ord(DOTS): "...",
}


class Line(NamedTuple):
    """One line and what ends it: nothing at the end of some texts."""

    text: str
    end: str


class Lines:
    """A text as its lines, with where each of them begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.texts, self.ends = _split(text)

    @functools.cached_property
    def starts(self) -> list[int]:
        """Return where each line begins, and at last where the text ends."""
        if "\r" not in self.text:
            lengths = map((1).__add__, map(len, self.texts))
            starts = [0, *itertools.accumulate(lengths)]
            starts[-1] = len(self.text)
            return starts
        both = zip(self.texts, self.ends, strict=True)
        return [0, *itertools.accumulate(len(text) + len(end) for text, end in both)]

    def at(self, offset: int) -> int:
        """Return the index of the line that a place in the text is in."""
        return bisect.bisect_right(self.starts, offset) - 1

    def __len__(self) -> int:
        return len(self.texts)

    @functools.cached_property
    def newline(self) -> str:
        """Return the end that most lines have."""
        if "\r" not in self.text:
            return "\n"
        counts = {end: self.ends.count(end) for end in ("\n", "\r\n", "\r")}
        return max(counts, key=counts.__getitem__)

    def end_near(self, first: int, last: int) -> str:
        """Return the end for new lines in the place of some: their neighbours', if they agree."""
        near = {
            self.ends[index]
            for index in (first - 1, last)
            if 0 <= index < len(self) and self.ends[index]
        }
        return near.pop() if len(near) == 1 else self.newline


def _split(text: str) -> tuple[list[str], list[str]]:
    if not text:
        return [], []
    if "\r" not in text:
        texts = text.split("\n")
        ends = ["\n"] * len(texts)
        if texts[-1]:
            ends[-1] = ""
        else:
            texts.pop()
            ends.pop()
        return texts, ends
    found = [(body or rest, end) for body, end, rest in _LINE.findall(text)]
    return [body for body, _ in found], [end for _, end in found]


def rows_of(text: str) -> list[str]:
    """Return the lines of a text that somebody wrote, without their ends."""
    return _split(text)[0]


def indent_of(line: str) -> str:
    """Return the white space that a line begins with."""
    found = _INDENT.match(line)
    return found[0] if found else ""


def straight(text: str) -> str:
    """Return a text with plain quotes, dashes and dots."""
    return text if text.isascii() else text.translate(_PUNCTUATION)


@functools.lru_cache(maxsize=16_384)
def key(line: str) -> str:
    """Return what is left of a line when white space and the style of its quotes do not count.

    White space between two words counts as one space: words are never joined.
    """
    return _LOOSE_GAP.sub("", " ".join(straight(line).split()))
