"""Frames between hermes and a script: a length of four bytes, a letter, and so many bytes."""

from __future__ import annotations

from collections.abc import Callable

RUN, CALL, ANSWER, OUTPUT, END = b"r", b"c", b"a", b"o", b"e"
_HEAD = 5
_LARGEST = 64 << 20


class Unreadable(Exception):
    """What came is no frame."""


def framed(kind: bytes, data: bytes) -> bytes:
    """Return a frame."""
    return len(data).to_bytes(4, "big") + kind + data


class Reader:
    """Cut what comes into frames, and hand each on."""

    def __init__(self, hand_on: Callable[[bytes, bytes], None]) -> None:
        self._hand_on = hand_on
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Take more.

        Raises:
            Unreadable: it is longer than any frame may be.
        """
        buffer = self._buffer
        if not buffer and len(data) == _HEAD + int.from_bytes(data[:4], "big"):
            self._hand_on(data[4:_HEAD], data[_HEAD:])  # as nearly always: one frame, and whole
            return
        buffer += data
        while len(buffer) >= _HEAD:
            size = int.from_bytes(buffer[:4], "big")
            if size > _LARGEST:
                raise Unreadable(f"a frame of {size} bytes")
            end = _HEAD + size
            if len(buffer) < end:
                return
            kind, content = bytes(buffer[4:_HEAD]), bytes(buffer[_HEAD:end])
            del buffer[:end]
            self._hand_on(kind, content)
