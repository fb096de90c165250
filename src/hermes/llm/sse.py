"""Read server-sent events out of bytes as they come, whatever else is among them."""

from __future__ import annotations

from typing import NamedTuple

_BOM = b"\xef\xbb\xbf"
_LONGEST_LINE = 16_000_000


class Event(NamedTuple):
    """One event: its name, which most services leave out, and its data."""

    name: str
    data: str


class TooLong(ValueError):
    """A line has no end."""


class Events:
    """Turn chunks of bytes into events; the cuts between chunks do not matter.

    Lines end in LF, CRLF or CR. A line that starts like a JSON object is an event of its own, as
    services send it that stream bare lines; comments and anything unknown are passed over.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._after_cr = False
        self._at_start = True
        self._name = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events that a chunk completes.

        Raises:
            TooLong: a line is longer than any answer could be.
        """
        if not chunk:
            return []
        if self._after_cr:
            chunk = chunk.removeprefix(b"\n")
        self._after_cr = chunk.endswith(b"\r")
        begun, *lines = _split(chunk)
        self._rest += begun
        if len(self._rest) > _LONGEST_LINE:
            raise TooLong(f"a line of more than {_LONGEST_LINE:,} bytes")
        if not lines:
            return []
        *lines, rest = (bytes(self._rest), *lines)
        self._rest = bytearray(rest)
        return [event for line in lines for event in self._line(line)]

    def close(self) -> list[Event]:
        """Return the events that stand at the end without an empty line behind them."""
        last, self._rest = bytes(self._rest), bytearray()
        return [*self._line(last), *self._take()] if last else self._take()

    def _line(self, raw: bytes) -> list[Event]:
        if self._at_start:
            raw, self._at_start = raw.removeprefix(_BOM), False
        line = raw.decode("utf-8", "replace")
        if not line.strip():
            return self._take()
        if line.startswith("{"):
            return [*self._take(), Event("", line)]
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        return []

    def _take(self) -> list[Event]:
        name, data = self._name, self._data
        self._name, self._data = "", []
        return [Event(name, "\n".join(data))] if data else []


def _split(data: bytes) -> list[bytes]:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.split(b"\n")
