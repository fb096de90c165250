"""Show hits as a reader wants them: the line, or of a long one the part around the hit."""

from __future__ import annotations

from typing import Callable, List, NamedTuple

from hermes.environments.inside.patterns import Place

Read = Callable[[int, int], bytes]
_LONGEST = 500
_BEFORE = 120
"""How much of a long line is shown before the hit."""
_BLOCK = 1 << 14
_CUT = "…"


class Shown(NamedTuple):
    """One hit."""

    line: int
    column: int
    """From 1, in bytes."""
    text: str
    is_cut: bool
    before: List[str]
    after: List[str]


def excerpt(read: Read, places: List[Place], context: int) -> List[Shown]:
    """Return hits of one file with the lines around them; no line is shown twice."""
    hits: List[Shown] = []
    lines = {place.line for place in places}
    last = 0
    for place in places:
        text, is_cut = _line(read, place)
        before: List[str] = []
        if context:
            before = _before(read, place, min(context, place.line - 1 - last))
        after: List[str] = []
        if context:
            after = _after(read, place, context, lines)
        hits.append(Shown(place.line, place.column, text, is_cut, before, after))
        last = place.line + len(after)
    return hits


def _line(read: Read, place: Place) -> "tuple[str, bool]":
    """Return a line, or of a long one the part around the hit."""
    head = read(place.offset, _LONGEST * 4)
    end = head.find(b"\n")
    if end >= 0 or len(head) < _LONGEST * 4:
        text = _text(head[:end] if end >= 0 else head)
        if len(text) <= _LONGEST:
            return text, False
    start = max(0, place.column - 1 - _BEFORE)
    part = read(place.offset + start, _LONGEST * 4)
    end = part.find(b"\n")
    text = _text(_whole_characters(part[:end] if end >= 0 else part, is_first=start == 0))
    is_last = (end >= 0 or len(part) < _LONGEST * 4) and len(text) <= _LONGEST
    return (_CUT if start else "") + text[:_LONGEST] + ("" if is_last else _CUT), True


def _whole_characters(data: bytes, *, is_first: bool) -> bytes:
    """Return bytes without the half characters at their ends."""
    start = 0
    while not is_first and start < min(4, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:].decode("utf-8", "ignore").encode() if _ends_within(data) else data[start:]


def _ends_within(data: bytes) -> bool:
    return bool(data) and data[-1] >= 0x80


def _before(read: Read, place: Place, count: int) -> List[str]:
    """Return the lines before a hit, read from there backwards."""
    if count <= 0:
        return []
    end, data = place.offset, b""
    start = end
    while start > 0 and data.count(b"\n") <= count and len(data) < _BLOCK * (count + 1):
        start = max(0, start - _BLOCK)
        data = read(start, end - start)
    return [_short(line) for line in data[:-1].split(b"\n")[-count:]]


def _after(read: Read, place: Place, count: int, hits: "set[int]") -> List[str]:
    """Return the lines after a hit, up to the next one."""
    while count and any(place.line + step in hits for step in range(1, count + 1)):
        count -= 1
    if not count:
        return []
    data, at = b"", place.offset
    while data.count(b"\n") <= count and len(data) < _BLOCK * (count + 1):
        part = read(at, _BLOCK)
        data, at = data + part, at + len(part)
        if len(part) < _BLOCK:
            break
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return [_short(line) for line in lines[1 : count + 1]]


def _short(line: bytes) -> str:
    text = _text(line[: _LONGEST * 4])
    return text if len(text) <= _LONGEST else text[:_LONGEST] + _CUT


def _text(line: bytes) -> str:
    if line.endswith(b"\r"):
        line = line[:-1]
    return line.decode("utf-8", "replace")
