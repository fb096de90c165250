"""What a program said, kept in bounded memory."""

from __future__ import annotations

from hermes.runtime.yaml_tools.scrub import Scrubber

_MAX_ERRORS = 20_000


class Kept:
    """The beginning and the end of a stream, in bounded memory."""

    def __init__(self, limit: int) -> None:
        self._room = limit * 2 // 5
        self._tail_room = limit - self._room
        self.head = bytearray()
        self.tail = bytearray()
        self.dropped = 0

    def add(self, data: bytes) -> None:
        """Take what came; the middle goes first."""
        free = self._room - len(self.head)
        self.head += data[:free]
        self.tail += data[free:]
        excess = len(self.tail) - self._tail_room
        if excess > 0:
            self.dropped += excess
            del self.tail[:excess]

    def text(self, scrub: Scrubber) -> str:
        """Return the stream as text, with a note where the middle was dropped."""
        if not self.dropped:
            return scrub.text((self.head + self.tail).decode("utf-8", "replace"))
        head = scrub.head(self.head.decode("utf-8", "replace"))
        tail = scrub.tail(self.tail.decode("utf-8", "replace"))
        return f"{head}\n… {self.dropped:,} bytes left out …\n{tail}"


class Output:
    """What came of a program: its two streams, its exit code, and what held it back."""

    def __init__(self, limit: int) -> None:
        self.said = Kept(limit)
        self.complaints = Kept(min(limit, _MAX_ERRORS))
        self.code = 0
        self.denied_by: str | None = None
