"""What a terminal's screen shows after a program has written to it."""

from __future__ import annotations

import re
from typing import Any

from hermes.base.errors import Unavailable
from hermes.base.optional import load
from hermes.environments.contract import Screen

_DRAWS = re.compile(rb"\x1b\[(?:\d*;?\d*[Hf]|2J|\?(?:47|1047|1049)h)")
_PIECE = re.compile(rb"\x1b?[^\x1b]*")
_ODD = (TypeError, ValueError, LookupError, NameError, AttributeError)
"""What the emulator raises for a sequence whose parameters make no sense."""


def shown(data: bytes, screen: Screen) -> dict[str, Any]:
    """Return the screen as text, where the program drew one; nothing if it only printed lines."""
    if not _DRAWS.search(data):
        return {}
    try:
        pyte = load("pyte", extra="pty")
    except Unavailable as error:
        return {"screen_note": f"{error.message} {error.hint or ''}".strip()}
    display = pyte.Screen(screen.columns, screen.rows)
    _feed(pyte, display, data)
    lines = [line.rstrip() for line in display.display]
    while lines and not lines[-1]:
        lines.pop()
    return {"screen": "\n".join(lines), "cursor": [display.cursor.y + 1, display.cursor.x + 1]}


def _feed(pyte: Any, display: Any, data: bytes) -> None:
    """Have a screen take what was written; a sequence that makes no sense is passed over."""
    stream = pyte.ByteStream(display)
    for piece in _PIECE.findall(data):
        try:
            stream.feed(piece)
        except _ODD:
            stream = pyte.ByteStream(display)
