"""What a text says once services have undone how it is written."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from urllib.parse import unquote, unquote_plus

_WRITTEN = re.compile(r"%[0-9A-Fa-f]{2}|\+|\\|\bBasic\s", re.IGNORECASE)
_MOST_TIMES = 3
_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))")
_BASIC = re.compile(r"\bBasic\s+([A-Za-z0-9+/_=-]{4,8000})", re.IGNORECASE)
_FOR_ADDRESSES = str.maketrans("-_", "+/")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def spellings(text: str) -> Iterator[str]:
    """Yield a text as it is and as it is read: out of addresses, forms, JSON and log-ins."""
    yield text
    if not _WRITTEN.search(text):
        return
    if "%" in text or "+" in text:
        yield unquote_plus(text)
        for _ in range(_MOST_TIMES):
            plain = unquote(text)
            if plain == text:
                break
            yield plain
            text = plain
    if "\\" in text:
        yield _ESCAPED.sub(_letter, text)
    for login in _BASIC.finditer(text):
        yield _decoded(login[1])


def _decoded(word: str) -> str:
    """Return what a word in base64 says, however it ends."""
    plain = word.translate(_FOR_ADDRESSES).rstrip("=")
    whole = plain[: len(plain) - (len(plain) % 4 == 1)]
    return base64.b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8", "replace")


def _letter(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _LETTERS.get(match[3], match[3])
