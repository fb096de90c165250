"""The parts of a long text that say most about a question: ranked by words, no model needed."""

from __future__ import annotations

import re
from collections import Counter
from math import log

_WORD = re.compile(r"\w+", re.UNICODE)
_K1, _B = 1.2, 0.75
_STOP = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "did", "do", "does", "for", "from", "how",
    "in", "is", "it", "of", "on", "or", "that", "the", "this", "to", "was", "were", "what", "when",
    "where", "which", "who", "why", "will", "with", "you",
})  # fmt: skip
_HEADING = re.compile(r"#{1,6} ")


def words_of(text: str) -> list[str]:
    """Return the words of a text that carry meaning, in their plain form."""
    found = (word.lower() for word in _WORD.findall(text))
    return [_stem(word) for word in found if word not in _STOP]


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word


def excerpt(text: str, query: str, chars: int) -> str:
    """Return the paragraphs that fit a question best, in the order of the text.

    What is left out between them is marked; the heading above a paragraph comes along.
    """
    parts = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    scores = _scores(parts, words_of(query))
    if not any(scores):
        return ""
    chosen: set[int] = set()
    room = chars
    for place in sorted(range(len(parts)), key=lambda each: -scores[each]):
        if scores[place] <= 0:
            break
        needed = {place} | _heading_above(parts, place)
        cost = sum(len(parts[each]) + 2 for each in needed - chosen)
        if cost <= room:
            chosen |= needed
            room -= cost
        elif not chosen:
            return parts[place][:chars]
    shown: list[str] = []
    last = -1
    for place in sorted(chosen):
        if place != last + 1:
            shown.append("[…]")
        shown.append(parts[place])
        last = place
    if last != len(parts) - 1:
        shown.append("[…]")
    return "\n\n".join(shown)


def _heading_above(parts: list[str], place: int) -> set[int]:
    for above in range(place - 1, max(place - 8, -1), -1):
        if _HEADING.match(parts[above]):
            return {above}
    return set()


def _scores(parts: list[str], wanted: list[str]) -> list[float]:
    counts = [Counter(words_of(part)) for part in parts]
    lengths = [sum(count.values()) for count in counts]
    mean = (sum(lengths) / len(lengths) if lengths else 0) or 1.0
    scores = [0.0] * len(parts)
    for word in set(wanted):
        having = sum(word in count for count in counts)
        if not having:
            continue
        weight = log(1 + (len(parts) - having + 0.5) / (having + 0.5))
        for place, count in enumerate(counts):
            times = count[word]
            if times:
                norm = _K1 * (1 - _B + _B * lengths[place] / mean)
                scores[place] += weight * times * (_K1 + 1) / (times + norm)
    return scores
