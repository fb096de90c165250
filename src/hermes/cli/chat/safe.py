"""Text of models and tools, made safe for a person's terminal."""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_PICTURES = 0x2400
_DELETE = 0x7F


def safe(text: str) -> str:
    r"""Return a text that moves no cursor, changes no setting and hides nothing.

    Controls become pictures of themselves (``␛``), what turns the direction or cannot be seen is
    spelt out (``<U+202E>``); line breaks and tabs stay, ``\r\n`` is one line break.
    """
    return _UNSAFE.sub(_spelt, text.replace("\r\n", "\n"))


def _spelt(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == _DELETE:
        return "\u2421"
    if code in (0x2028, 0x2029):
        return "\n"
    if 0xD800 <= code <= 0xDFFF:  # half a character, which no stream can write
        return "\ufffd"
    return f"<U+{code:04X}>"


def one_line(text: str, limit: int) -> str:
    """Return a safe text on one line of at most so many characters."""
    flat = " ".join(safe(text[: limit * 4]).split())
    return flat if len(flat) <= limit else f"{flat[: max(limit - 1, 0)].rstrip()}…"
