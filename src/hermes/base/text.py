"""Small questions about text: which name is nearest, how to cut, what is safe to show."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from hermes.base.optional import load


def nearest(word: str, choices: Iterable[str], *, limit: int = 3) -> list[str]:
    """Return the choices most like a word, best first; empty when none is near."""
    wanted = _fold(word)
    likeness = load("difflib").SequenceMatcher
    scored = []
    for choice in choices:
        given = _fold(choice)
        score = likeness(None, wanted, given).ratio()
        if min(len(wanted), len(given)) > 2 and (wanted in given or given in wanted):
            score = max(score, 0.75)
        if score >= 0.6:
            scored.append((-score, choice))
    return [choice for _, choice in sorted(scored)[:limit]]


def did_you_mean(word: str, choices: Iterable[str]) -> str | None:
    """Return ``Did you mean 'x' or 'y'?`` for a misspelt word, or None when nothing is near."""
    names = nearest(word, choices)
    return f"Did you mean {' or '.join(map(repr, names))}?" if names else None


def _fold(word: str) -> str:
    return re.sub(r"[-_\s.]+", "", word).lower()


def head_and_tail(
    text: str, limit: int, *, note: str = "… {omitted:,} characters left out …"
) -> str:
    """Cut a text in its middle so that about ``limit`` characters stay, two fifths of them head."""
    if len(text) <= limit:
        return text
    head = limit * 2 // 5
    tail = limit - head
    gap = note.format(omitted=len(text) - head - tail)
    return f"{text[:head]}\n{gap}\n{text[len(text) - tail :]}"


def harmless(text: str, *, limit: int = 2_000) -> str:
    """Return error text that cannot pose as a message: no role tags, CDATA, fences or controls."""
    return head_and_tail(_posing().sub("", text).strip(), limit)


@functools.cache
def _posing() -> re.Pattern[str]:
    """What could pose as a message or hide: role tags, CDATA, fences, control characters."""
    roles = "system|assistant|user|tool|function|tool_call|tool_response"
    return re.compile(
        rf"(?i:</?\s*(?:{roles})\b[^>]*>)|<!\[CDATA\[|\]\]>|`{{3,}}\w*"
        r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
    )


def hides(text: str) -> bool:
    """Say whether a text holds characters that a reader cannot see, beyond line breaks and tabs."""
    return not text.isprintable() and any(
        not char.isprintable() and char not in "\n\t" for char in text
    )


def escaped(text: str) -> str:
    """Return a text with every character that cannot be seen, or moves others, spelt out.

    Line breaks stay; a tab, a control, a joiner or a turn of direction reads ``<U+202E>``.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\n" else f"<U+{ord(char):04X}>" for char in text
    )


def said(error: BaseException) -> str:
    """Return an error's own words, or nothing when even asking for them fails."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - an error's own code may raise anything
        return ""


def plural(count: int, word: str) -> str:
    """Return ``1 tool`` or ``3 tools``."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
