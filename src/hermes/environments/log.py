"""The log of a command in the background: all that is recent on disk, read by cursor."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

_LARGEST = 8 << 20
_PART = 1 << 16


class Part(NamedTuple):
    """A part of a log."""

    data: bytes
    start: int
    """Where it begins, counted from the beginning of everything that was printed."""
    end: int
    total: int

    @property
    def is_cut(self) -> bool:
        """Whether more follows."""
        return self.end < self.total


class Log:
    """Keep what a command prints, both streams in the order they came; the oldest goes first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._on_news: Callable[[bytes], None] | None = None
        self._lock = threading.Lock()
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        self._fd = os.open(path, flags, 0o600)
        self._base = 0
        self.total = 0
        """How many bytes were printed."""
        self._last = (bytearray(), bytearray())
        self.trouble = ""

    def take(self, stream: int, fd: int) -> int:
        """Read what a descriptor has now."""
        data = os.read(fd, _PART)
        if data:
            self.feed(stream, data)
        return len(data)

    def feed(self, stream: int, data: bytes) -> None:
        """Take more of a stream."""
        with self._lock:
            self._write(data)
            last = self._last[stream]
            last += data
            del last[:-4_096]
        if self._on_news is not None:
            self._on_news(data)

    def follow(self, call: Callable[[bytes], None]) -> None:
        """Have something called with all that came and will come."""
        with self._lock:
            so_far = os.pread(self._fd, self.total - self._base, 0) if self.total else b""
            self._on_news = call
        if so_far:
            call(so_far)

    def last(self, stream: int) -> bytes:
        """Return the end of what came on a stream."""
        return bytes(self._last[stream])

    def _write(self, data: bytes) -> None:
        if self._fd < 0:
            return
        try:
            if self.total - self._base + len(data) > 2 * _LARGEST:
                self._roll()
            os.pwrite(self._fd, data, self.total - self._base)
        except OSError as error:
            self.trouble = f"not all of it could be kept: {error.strerror}"
        self.total += len(data)

    def _roll(self) -> None:
        """Drop the older half."""
        size = self.total - self._base
        kept = os.pread(self._fd, _LARGEST, max(0, size - _LARGEST))
        os.pwrite(self._fd, kept, 0)
        os.ftruncate(self._fd, len(kept))
        self._base = self.total - len(kept)

    def read(self, start: int, size: int) -> Part:
        """Return what was printed from a place on; what is no longer there is left out."""
        with self._lock:
            start = min(max(start, self._base), self.total)
            if self._fd < 0:
                return Part(b"", start, start, self.total)
            data = os.pread(self._fd, min(size, self.total - start), start - self._base)
        return Part(data, start, start + len(data), self.total)

    def close(self) -> None:
        """Close and remove the log."""
        with self._lock:
            fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)
            self.path.unlink(missing_ok=True)
