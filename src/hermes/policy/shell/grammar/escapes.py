"""Small readings of text: escapes, and where arithmetic ends."""

from __future__ import annotations

import re

_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_CODED = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))",
    re.DOTALL,
)
_LONGEST_SUM = 20_000


def matching_arithmetic(text: str, at: int) -> int | None:
    """Return where ``))`` closes an arithmetic expression, or None when it is none."""
    level = 0
    quote = ""
    end = min(len(text), at + _LONGEST_SUM)
    while at < end:
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "(":
            level += 1
        elif char == ")":
            if level == 0:
                return at if text.startswith("))", at) else None
            level -= 1
        at += 2 if char == "\\" else 1
    return None


def unescaped(text: str) -> str:
    """Return what ``$'…'`` makes of a text."""

    def character(match: re.Match[str]) -> str:
        two, four, eight, octal, control, other = match.groups()
        if octal:
            return chr(int(octal, 8) & 0xFF)
        if control:
            return chr(ord(control.upper()) ^ 0x40 & 0x7F)
        if other is not None:
            return _ESCAPES.get(other, "\\" + other)
        number = int(two or four or eight, 16)
        return chr(number) if number < 0x110000 else ""

    return _CODED.sub(character, text) if "\\" in text else text
