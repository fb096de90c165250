"""What a patch does, whichever form it was written in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hermes.base.errors import ToolError

Mark = Literal[" ", "-", "+"]


@dataclass(slots=True)
class Hunk:
    """Lines that are there, and what becomes of them."""

    hints: list[str] = field(default_factory=list)
    """Lines above the place, from the outermost to the nearest."""
    rows: list[tuple[Mark, str]] = field(default_factory=list)
    line: int | None = None
    """At which line (from 0) it is said to be; not to be relied on."""
    is_at_end: bool = False
    """Whether the file ends with it."""
    is_hint_sure: bool = True
    """Whether the hints must be there; headings of a diff are only there to be read."""
    is_open: bool | None = None
    """Whether the last new line has no line end; None when that is not said."""

    @property
    def old(self) -> list[str]:
        """Return the lines that are there."""
        return [text for mark, text in self.rows if mark != "+"]

    @property
    def new(self) -> list[str]:
        """Return the lines that will be there."""
        return [text for mark, text in self.rows if mark != "-"]


@dataclass(slots=True)
class Deed:
    """What happens to one file."""

    kind: Literal["add", "update", "delete"]
    path: str
    target: str = ""
    """Where it goes, when it is moved."""
    hunks: list[Hunk] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    """What a new file holds."""
    is_open: bool = False
    """Whether a new file has no line end at its end."""
    is_strict: bool = False
    """Whether a new file must not be there yet."""
    note: str = ""
    other: str = ""
    """The name of its old side, where that is another."""


def broken(message: str, row: int) -> ToolError:
    """Return the answer for a patch that cannot be read, with the line of it."""
    return ToolError(
        f"line {row + 1} of the patch: {message}; nothing was changed", code="invalid_patch"
    )
