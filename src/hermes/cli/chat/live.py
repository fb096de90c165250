"""The part of a terminal that is drawn over and over, beneath the text that stays."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple, TextIO

from hermes.cli import output

_UP, _CLEAR = "\033[A", "\033[J"
_HIDE, _SHOW = "\033[?25l", "\033[?25h"


class Row(NamedTuple):
    """One drawn row: its text with colours, and the columns it takes."""

    text: str
    cells: int


class Size(NamedTuple):
    """How large the terminal is."""

    columns: int
    lines: int


def terminal_size(stream: TextIO) -> Size:
    """Return how large the terminal of a stream is now."""
    try:
        found = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return Size(80, 24)
    return Size(found.columns or 80, found.lines or 24)


class Live:
    """Keep some rows at the bottom of a terminal; what is committed stays above them."""

    def __init__(self, stream: TextIO, size: Callable[[], Size] | None = None) -> None:
        self._stream = stream
        self._size = size or (lambda: terminal_size(stream))
        self._rows: list[Row] = []
        self._is_hidden = False

    @property
    def size(self) -> Size:
        """How large the terminal is now."""
        return self._size()

    def draw(self, rows: Sequence[Row]) -> None:
        """Draw rows in place of those that are there; the last ones, where not all fit."""
        fitting = list(rows)[-max(self.size.lines - 1, 1) :]
        if fitting == self._rows:
            return
        self._write(self._erased() + self._placed(fitting))

    def commit(self, text: str) -> None:
        """Put a text, which ends its lines, above the rows for good."""
        rows = self._rows
        self._write(self._erased() + text + self._placed(rows))

    def clear(self) -> None:
        """Take the rows away and show the cursor again."""
        text = self._erased() + (_SHOW if self._is_hidden else "")
        self._is_hidden = False
        if text:
            self._write(text)

    def _erased(self) -> str:
        """Return what erases the rows; a window that became narrower has broken them."""
        if not self._rows:
            return ""
        columns = max(self.size.columns, 1)
        lines = sum(max(-(-row.cells // columns), 1) for row in self._rows)
        self._rows = []
        return "\r" + _UP * (min(lines, self.size.lines) - 1) + _CLEAR

    def _placed(self, rows: list[Row]) -> str:
        self._rows = rows
        hide = _HIDE if rows and not self._is_hidden else ""
        self._is_hidden = self._is_hidden or bool(rows)
        return hide + "\n".join(row.text for row in rows)

    def _write(self, text: str) -> None:
        self._stream.write(output.showable(text, self._stream))
        self._stream.flush()
