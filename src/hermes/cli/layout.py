"""Lay out plain text for the width there is: lines break between words, never inside one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

_NARROWEST = 24
"""A column of text narrower than this reads worse than text beneath its name."""


def filled(parts: Iterable[str], width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Return parts joined by spaces on lines of at most ``width``, broken only between parts.

    The first line begins with ``first``, the others with ``rest``.
    """
    lines: list[str] = []
    line, is_empty = first, True
    for part in parts:
        if not is_empty and len(line) + 1 + len(part) > width:
            lines.append(line)
            line, is_empty = rest, True
        line += part if is_empty else f" {part}"
        is_empty = False
    return [*lines, line]


def wrapped(text: str, width: int, *, indent: str = "") -> list[str]:
    """Return a text as lines of at most ``width``; its own lines and their indents stay."""
    lines: list[str] = []
    for line in text.splitlines():
        if len(line) <= width:
            lines.append(line)
        else:
            start = line[: len(line) - len(line.lstrip())]
            lines += filled(line.split(), width, first=start, rest=start + indent)
    return lines


def pairs(rows: Sequence[tuple[str, str]], width: int, *, left: int) -> Iterator[str]:
    """Yield names with what they mean beside them, or beneath them where it is narrow.

    ``left`` is the room for the names, so that several lists can stand in one line.
    """
    beside = " " * (left + 4)
    is_narrow = width - len(beside) < _NARROWEST
    for name, about in rows:
        if is_narrow:
            yield f"  {name}"
            yield from filled(about.split(), width, first=" " * 6, rest=" " * 6)
        else:
            yield from filled(about.split(), width, first=f"  {name:<{left}}  ", rest=beside)
