"""Find files by letters of their paths, in order and not necessarily side by side."""

from __future__ import annotations

import heapq
import re

_MOST = 1_000
_NAME, _START, _RUN = 12, 8, 5
"""What a letter is worth that is in the file's own name, begins a word, or follows the last."""


def best(pattern: str, paths: list[str]) -> list[str]:
    """Return the paths that have all letters of a pattern in order, the most likely first."""
    letters = "".join(pattern.lower().split())
    if not letters:
        return []
    has_letters = re.compile(".*?".join(map(re.escape, letters)), re.DOTALL).search
    scored = (
        (-_score(letters, path), len(path), path) for path in paths if has_letters(path.lower())
    )
    return [path for _, _, path in heapq.nsmallest(_MOST, scored)]


def _score(letters: str, path: str) -> int:
    lower = path.lower()
    name = lower.rfind("/") + 1
    starts = [start for start in (name, 0) if _is_within(letters, lower[start:])]
    total = max(_walk(letters, path, lower, start, name) for start in starts)
    if letters in lower[name:]:
        total += _RUN * len(letters)
    stem = lower[name:].partition(".")[0]
    return total + (_NAME * 2 if letters in (lower[name:], stem) else 0)


def _is_within(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def _walk(letters: str, path: str, lower: str, start: int, name: int) -> int:
    """Return what the letters are worth where they are first met, from a place on."""
    total, last, at = 0, -2, start
    for letter in letters:
        at = lower.index(letter, at)
        if at >= name:
            total += _NAME
        if at == 0 or path[at - 1] in "/_-. " or (path[at].isupper() and path[at - 1].islower()):
            total += _START
        if at == last + 1:
            total += _RUN
        last, at = at, at + 1
    return total
