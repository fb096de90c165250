"""Keep of what a script prints as much as is shown: the beginning and the end."""

from __future__ import annotations

import os
from collections.abc import Callable

from hermes.environments.capture import Kept
from hermes.environments.capture import Limits as Ends

_PART = 1 << 16
_LAST = 4_000


class Printed:
    """The two streams of a script; ``on_flood`` is called once, when it prints far too much."""

    def __init__(self, stdout: int, stderr: int, most: int) -> None:
        self.streams = (_kept(stdout), _kept(stderr))
        self._most = most
        self.is_flood = False
        self.on_flood: Callable[[], object] = lambda: None

    def take(self, stream: int, fd: int) -> int:
        """Read what a descriptor has now."""
        data = os.read(fd, _PART)
        self.feed(stream, data)
        return len(data)

    def feed(self, stream: int, data: bytes) -> None:
        """Take more of a stream."""
        self.streams[stream].add(data)
        if not self.is_flood and sum(kept.size for kept in self.streams) > self._most:
            self.is_flood = True
            self.on_flood()

    def last(self, stream: int) -> bytes:
        """Return the end of what came on a stream."""
        head, tail = self.streams[stream].ends()
        return (head + tail)[-_LAST:]

    def text(self, stream: int) -> tuple[str, int]:
        """Return what is shown of a stream, and how many bytes in its middle are not."""
        kept = self.streams[stream]
        head, tail = kept.ends()
        if not kept.dropped:
            return head.decode("utf-8", "replace"), 0
        shown = f"\n\n[… {kept.dropped:,} bytes left out …]\n\n"
        return head.decode("utf-8", "ignore") + shown + tail.decode("utf-8", "ignore"), kept.dropped


def _kept(size: int) -> Kept:
    """Keep two parts of the beginning and three of the end: the end tells how it went."""
    head = size * 2 // 5
    return Kept(Ends(head, size - head))
