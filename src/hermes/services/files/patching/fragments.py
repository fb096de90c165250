"""Find parts of lines whose words and marks are the same, however they are spaced."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.services.files.patching.lines import DASHES, DOUBLE_QUOTES, SINGLE_QUOTES, straight

_PART = re.compile(r"\w+|\s+|.", re.DOTALL)
_LEAST_LETTERS = 6
_ALIKE = {"'": f"['{SINGLE_QUOTES}]", '"': f'["{DOUBLE_QUOTES}]', "-": f"[-{DASHES}]"}


def fragment_places(text: str, needle: str) -> list[tuple[int, int]]:
    """Return where the same words and marks stand; only whole words count.

    A needle of very few letters is not looked for: it says too little.
    """
    needle = straight(needle).strip()
    if len(re.sub(r"\W", "", needle)) < _LEAST_LETTERS:
        return []
    return [found.span() for found in overlapping(_pattern(needle), text)]


def overlapping(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield every place that a pattern fits, also those that begin within another."""
    found = pattern.search(text)
    while found is not None:
        yield found
        found = pattern.search(text, found.start() + 1)


def _pattern(needle: str) -> re.Pattern[str]:
    parts, before = [], ""
    for part in _PART.findall(needle):
        if part.isspace():
            continue
        parts.append(_gap(before, part))
        parts.append(_ALIKE.get(part, re.escape(part)))
        before = part
    parts.append(r"(?!\w)" if _is_word(before) else "")
    return re.compile("".join(parts))


def _gap(before: str, part: str) -> str:
    """Return what may stand between two parts."""
    if not before:
        return r"(?<!\w)" if _is_word(part) else ""
    return r"[^\S\r\n]+" if _is_word(before) and _is_word(part) else r"[^\S\r\n]*"


def _is_word(part: str) -> bool:
    return re.match(r"\w", part) is not None
