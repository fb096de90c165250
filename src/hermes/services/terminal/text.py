"""What a terminal would show of bytes, as plain text for a model."""

from __future__ import annotations

import re

_ERASE = re.compile(r"\x1b\[[0-2]?K")
_ESCAPE = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles, links
    r"|\x1b[PX^_].*?\x1b\\"
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b[ -/]*[0-~]",
    re.DOTALL,
)
_CONTROL = re.compile(r"[\x00-\x07\x0b\x0c\x0e-\x1f\x7f]")


def readable(data: bytes) -> str:
    """Return bytes as text: colours taken out, lines that were rewritten as they were left."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    if "\x1b" in text or "\r" in text or "\b" in text:
        text = "\n".join(map(_as_left, text.split("\n")))
    return _CONTROL.sub("", text)


def _as_left(line: str) -> str:
    """Return a line as it stood in the end."""
    if "\r" not in line and "\b" not in line:
        return _ESCAPE.sub("", line)
    shown = ""
    for part in line.rstrip("\r").split("\r"):
        if _ERASE.match(part):
            shown = ""
        plain = _backspaced(_ESCAPE.sub("", part))
        shown = plain + shown[len(plain) :]
    return shown


def _backspaced(text: str) -> str:
    if "\b" not in text:
        return text
    kept: list[str] = []
    at = 0
    for char in text:
        if char == "\b":
            at = max(0, at - 1)
        elif at < len(kept):
            kept[at] = char
            at += 1
        else:
            kept.append(char)
            at += 1
    return "".join(kept)
