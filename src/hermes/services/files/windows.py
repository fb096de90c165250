"""Find lines in a file without reading more of it than the answer needs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hermes.services.files.disk import Opened

_BLOCK = 1 << 18
_MARK_EVERY = 16 << 20
COUNTED_BYTES = 16 << 20
"""How much of a file is read only to know how many lines it has."""
_MOST_FILES = 64
_KEPT_BYTES = 16_000
"""Of one line; what is longer is not shown anyway."""


class Line(NamedTuple):
    """One line, without its end."""

    data: bytes
    size: int
    """How many bytes it has; more than there are in ``data`` for a very long one."""
    is_ended: bool
    has_return: bool
    """Whether a carriage return stands before its end."""


class Window(NamedTuple):
    """Some lines of a file."""

    lines: list[Line]
    total: int | None
    """How many lines the file has; None if that would take too long to count."""
    at_least: int
    """How many lines it is known to have."""


class Bounded:
    """A file that is looked at no longer than somebody waits for it."""

    def __init__(self, file: Opened, check: Callable[[], None]) -> None:
        self.found, self._read, self._check = file.found, file.read, check

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes from a place on, unless that is no longer wanted."""
        self._check()
        return self._read(offset, size)


class Index:
    """Where some lines of large files begin, as far as they were looked at; shared by all tasks."""

    def __init__(self) -> None:
        self._files: OrderedDict[tuple[str, tuple[int, int, int]], dict[int, int]] = OrderedDict()
        self._lock = threading.Lock()

    def marks(self, file: Opened) -> dict[int, int]:
        """Return the line numbers, from 0, that are known of this version of a file."""
        key = (file.found.path, file.found.version)
        with self._lock:
            marks = self._files.setdefault(key, {0: 0})
            self._files.move_to_end(key)
            while len(self._files) > _MOST_FILES:
                self._files.popitem(last=False)
        return marks


def window(file: Opened, first: int, most: int, index: Index) -> Window:
    """Return lines from a number on, counted from 0; of a file whose line ends are one byte."""
    marks = index.marks(file)
    line, offset = _nearest(marks, first)
    line, offset = _skip(file, line, offset, first, marks)
    if line < first:
        return Window([], line, line)
    lines, offset = _take(file, offset, most)
    seen = first + len(lines)
    is_over = bool(lines) and not lines[-1].is_ended
    total = seen if is_over else count(file, offset, seen)
    return Window(lines, total, seen if total is None else total)


def last_lines(file: Opened, back: int, most: int, index: Index) -> tuple[int, Window]:
    """Return the first of the last lines, and the number of the very first, from 0.

    The number is -1 where the file is too large to be counted.
    """
    start = _from_the_end(file, back)
    total = count(file, 0, 0) if start else back
    if total is not None:
        first = max(0, total - back)
        return first, window(file, first, most, index)
    return -1, Window(list(_lines(file, start, most)), None, back)


def _from_the_end(file: Opened, back: int) -> int:
    """Return where the last lines begin, counted from behind."""
    offset = file.found.size
    if file.read(max(0, offset - 1), 1) == b"\n":
        offset -= 1  # it ends the last line, and no other begins after it
    while offset > 0:
        start = max(0, offset - _BLOCK)
        block = file.read(start, offset - start)
        here = block.count(b"\n")
        if here >= back:
            at = len(block)
            for _ in range(back):
                at = block.rindex(b"\n", 0, at)
            return start + at + 1
        back, offset = back - here, start
    return 0


def _nearest(marks: dict[int, int], line: int) -> tuple[int, int]:
    best = max(mark for mark in tuple(marks) if mark <= line)
    return best, marks[best]


def _skip(
    file: Opened, line: int, offset: int, first: int, marks: dict[int, int]
) -> tuple[int, int]:
    """Go on to a line; when there is none, return how many there are."""
    marked = offset
    ends_whole = True
    while line < first:
        block = file.read(offset, _BLOCK)
        if not block:
            return line + (not ends_whole), offset
        here = block.count(b"\n")
        if line + here < first:
            line, offset = line + here, offset + len(block)
            ends_whole = block.endswith(b"\n")
            if offset - marked >= _MARK_EVERY and ends_whole:
                marks[line], marked = offset, offset
            continue
        at = 0
        while line < first:
            at = block.index(b"\n", at) + 1
            line += 1
        return line, offset + at
    return line, offset


def _take(file: Opened, offset: int, most: int) -> tuple[list[Line], int]:
    lines = list(_lines(file, offset, most))
    return lines, offset + sum(line.size + line.is_ended + line.has_return for line in lines)


def _lines(file: Opened, offset: int, most: int | None = None) -> Iterator[Line]:
    """Yield the lines from a place on; of a very long one only the beginning is kept."""
    rest, size = b"", 0
    while most != 0 and (block := file.read(offset, _BLOCK)):
        offset += len(block)
        *whole, last = block.split(b"\n", -1 if most is None else most)
        if most is not None:
            most -= len(whole)
        is_plain = b"\r" not in block
        for part in whole:
            if is_plain and not size and len(part) <= _KEPT_BYTES:
                yield Line(part, len(part), True, False)
                continue
            yield _line(rest, size, part, is_ended=True)
            rest, size = b"", 0
        if most == 0:
            return
        size += len(last)
        rest = (rest + last)[:_KEPT_BYTES]
    if size:
        yield _line(rest, size, b"", is_ended=False)


def _line(rest: bytes, size: int, part: bytes, *, is_ended: bool) -> Line:
    data, size = (rest + part)[:_KEPT_BYTES], size + len(part)
    has_return = is_ended and (part or rest).endswith(b"\r")
    if has_return:
        data, size = data[: size - 1], size - 1
    return Line(data, size, is_ended, has_return)


def count(file: Opened, offset: int, seen: int) -> int | None:
    """Return how many lines there are in all, if the rest is small enough to be looked at."""
    if file.found.size - offset > COUNTED_BYTES:
        return None
    start, last = offset, b"\n"
    while block := file.read(offset, _BLOCK):
        seen += block.count(b"\n")
        offset += len(block)
        last = block[-1:]
        if offset - start > 2 * COUNTED_BYTES:  # it grows while we read
            return None
    return seen + (last != b"\n")
