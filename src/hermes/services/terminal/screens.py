"""What a terminal's screen shows after a program has written to it."""

from __future__ import annotations

from typing import Any

from hermes.base.errors import Unavailable
from hermes.base.optional import load
from hermes.environments.contract import Screen


def shown(data: bytes, screen: Screen) -> dict[str, Any]:
    """Return the screen as text, where the program drew one; nothing if it only printed lines."""
    if b"\x1b[" not in data or not any(
        mark in data for mark in (b"\x1b[H", b"\x1b[2J", b"\x1b[?1049")
    ):
        return {}
    try:
        pyte = load("pyte", extra="pty")
    except Unavailable as error:
        return {"screen_note": f"{error.message} {error.hint or ''}".strip()}
    display = pyte.Screen(screen.columns, screen.rows)
    pyte.ByteStream(display).feed(data)
    lines = [line.rstrip() for line in display.display]
    while lines and not lines[-1]:
        lines.pop()
    return {"screen": "\n".join(lines), "cursor": [display.cursor.y + 1, display.cursor.x + 1]}
