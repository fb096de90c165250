"""Messages on a stream of bytes: a length, a JSON head, and bytes as they are."""

from __future__ import annotations

import json
import struct
from typing import Any, Dict, Iterator, Tuple

Head = Dict[str, Any]
_LENGTHS = struct.Struct(">II")
LARGEST = 1 << 30
"""A longer message is no message: something else writes to the stream."""
HELLO = b"\0hermes-agent-1\0"
"""What an agent writes before its first message; what a login script printed comes before it."""


def pack(head: Head, payload: bytes = b"") -> bytes:
    """Return a message as it goes over the stream."""
    words = json.dumps(head, separators=(",", ":")).encode("ascii")
    return _LENGTHS.pack(len(words), len(payload)) + words + payload


class Frames:
    """Cut a stream into its messages."""

    def __init__(self) -> None:
        self._got = bytearray()

    def feed(self, data: bytes) -> Iterator[Tuple[Head, bytes]]:
        """Take more of the stream, and give the messages that are whole now.

        Raises:
            ValueError: this is no stream of messages.
        """
        self._got += data
        while len(self._got) >= _LENGTHS.size:
            words, size = _LENGTHS.unpack_from(self._got)
            if words > LARGEST or size > LARGEST:
                raise ValueError("the stream is not one of messages")
            middle = _LENGTHS.size + words
            if len(self._got) < middle + size:
                return
            head = json.loads(self._got[_LENGTHS.size : middle])
            payload = bytes(memoryview(self._got)[middle : middle + size])
            del self._got[: middle + size]
            yield head, payload
