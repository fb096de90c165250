"""What checks find, in one form for all tools."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Severity = Literal["error", "warning", "info"]


class Edit(NamedTuple):
    """One part of a file that is replaced, in bytes from its beginning."""

    start: int
    end: int
    text: bytes


class Spot(NamedTuple):
    """One part of a file that is replaced, by lines and columns that count characters from 1."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    rank: int = 0
    """Of several at one place, the higher comes first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a tool has to say about a file."""

    file: str
    """Absolute; empty when it is about the project."""
    line: int
    column: int
    rule: str
    message: str
    severity: Severity = "error"
    fixable: bool = False
    tool: str = ""
    edits: tuple[Edit | Spot, ...] = ()
    """How it is fixed, where the tool tells that and does not do it."""

    def as_json(self, file: str) -> dict[str, Any]:
        """Return it as a model reads it, with its file as that is to be shown."""
        told: dict[str, Any] = {"file": file, "line": self.line, "column": self.column}
        told |= {"rule": self.rule, "message": self.message, "severity": self.severity}
        told |= {"fixable": self.fixable, "tool": self.tool}
        return told


def edited(data: bytes, edits: Iterable[Edit | Spot]) -> bytes:
    """Return a content with edits done; of those that overlap, the first one counts."""
    plain = sorted(
        (each if isinstance(each, Edit) else _placed(data, each), _rank(each)) for each in edits
    )
    plain.sort(key=lambda pair: (pair[0].start, pair[0].end, -pair[1]))
    parts: list[bytes] = []
    at = 0
    for (start, end, text), _ in plain:
        if start < at or end > len(data) or start > end:
            continue
        parts += [data[at:start], text]
        at = end
    return b"".join([*parts, data[at:]])


def _rank(edit: Edit | Spot) -> int:
    return 0 if isinstance(edit, Edit) else edit.rank


def _placed(data: bytes, spot: Spot) -> Edit:
    lines = data.splitlines(keepends=True)
    start = _offset(lines, spot.line, spot.column)
    end = _offset(lines, spot.end_line, spot.end_column)
    return Edit(start, end, spot.text.encode())


def _offset(lines: list[bytes], line: int, column: int) -> int:
    before = sum(map(len, lines[: max(0, line - 1)]))
    if not 0 < line <= len(lines):
        return before
    text = lines[line - 1].decode("utf-8", "surrogateescape")[: max(0, column - 1)]
    return before + len(text.encode("utf-8", "surrogateescape"))
