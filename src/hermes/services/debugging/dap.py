"""The wire of the Debug Adapter Protocol: messages with a head that tells their length."""

from __future__ import annotations

import json
from typing import Any

_LARGEST = 32 << 20
_LONGEST_HEAD = 4_096
_LENGTH = b"content-length:"


class Garbled(Exception):
    """What came is no message of the protocol."""


def encode(message: dict[str, Any]) -> bytes:
    """Return a message as it is sent."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class Decoder:
    """Put messages together from bytes, however they were cut."""

    def __init__(self) -> None:
        self._rest = b""
        self._size: int | None = None

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Take bytes and return the messages that they complete.

        Raises:
            Garbled: they are none.
        """
        self._rest += data
        found = []
        while (message := self._next()) is not None:
            found.append(message)
        return found

    def _next(self) -> dict[str, Any] | None:
        if self._size is None:
            head, mark, rest = self._rest.partition(b"\r\n\r\n")
            if not mark:
                if len(head) > _LONGEST_HEAD:
                    raise Garbled("a head without an end")
                return None
            self._size, self._rest = _size(head), rest
        if len(self._rest) < self._size:
            return None
        body, self._rest = self._rest[: self._size], self._rest[self._size :]
        self._size = None
        try:
            message = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise Garbled(f"a body that is no JSON: {error}") from error
        if not isinstance(message, dict):
            raise Garbled("a body that is no object")
        return message


def _size(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line.lower().startswith(_LENGTH):
            value = line[len(_LENGTH) :].strip()
            if value.isdigit() and len(value) < 12 and int(value) <= _LARGEST:
                return int(value)
    raise Garbled(f"a head without a length: {head[:200]!r}")
