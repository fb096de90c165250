"""Keep what a command prints: its beginning and its end at hand, all of it on disk."""

from __future__ import annotations

import fcntl
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

OUTPUT, ERRORS = 0, 1
_PART = 1 << 16
_LARGE_PART = 1 << 20
_GROW_PIPE_AFTER = 1 << 18
_SET_PIPE_SIZE = getattr(fcntl, "F_SETPIPE_SZ", None)


class Limits(NamedTuple):
    """How much is kept."""

    head: int = 24_000
    tail: int = 24_000
    """Bytes of each stream that are kept at hand, from its beginning and from its end."""
    saved: int = 1 << 30
    """Bytes that are saved on disk at most."""


class Kept:
    """The beginning and the end of one stream."""

    __slots__ = ("_limits", "_tail", "_tail_size", "head", "size")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.size = 0

    def add(self, data: bytes) -> None:
        """Take more of the stream."""
        self.size += len(data)
        room = self._limits.head - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        if not data or not self._limits.tail:
            return
        self._tail.append(data[-self._limits.tail :])
        self._tail_size += len(self._tail[-1])
        while self._tail_size - len(self._tail[0]) >= self._limits.tail:
            self._tail_size -= len(self._tail.popleft())

    def ends(self) -> tuple[bytes, bytes]:
        """Return the beginning and the end; between them ``dropped`` bytes are missing."""
        tail = b"".join(self._tail)[-self._limits.tail :]
        if self.dropped == 0:
            return bytes(self.head) + tail, b""
        return bytes(self.head), tail

    @property
    def dropped(self) -> int:
        """How many bytes in the middle are not at hand."""
        return max(0, self.size - len(self.head) - min(self._tail_size, self._limits.tail))


class Capture:
    """Both streams of a command, each for itself, and on disk in the order they came.

    Nothing is written before more comes than is kept at hand. ``on_news`` is told each part.
    """

    def __init__(
        self,
        save_to: Callable[[], Path] | None = None,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        on_news: Callable[[int, bytes], None] | None = None,
    ) -> None:
        self.streams = (Kept(limits), Kept(limits))
        self._limits = limits
        self._save_to = save_to
        self._on_news = on_news
        self._order: list[bytes] = []
        self._waiting = 0
        self._file: int | None = None
        self.path: Path | None = None
        """Where all of it is saved, once it is."""
        self.saved = 0
        self.trouble = ""
        """Why not all of it could be saved."""

    @property
    def size(self) -> int:
        """How many bytes came."""
        return self.streams[0].size + self.streams[1].size

    def take(self, stream: int, fd: int) -> int:
        """Read what a descriptor has now."""
        if self.streams[stream].size < _GROW_PIPE_AFTER:
            data = os.read(fd, _PART)
        else:
            _widen(fd, self.streams[stream].size)
            data = os.read(fd, _LARGE_PART)
        if data:
            self.feed(stream, data)
        return len(data)

    def feed(self, stream: int, data: bytes) -> None:
        """Take bytes that came another way."""
        self.streams[stream].add(data)
        if self._save_to is not None and not self.trouble:
            self._save(data)
        if self._on_news is not None:
            self._on_news(stream, data)

    def last(self, stream: int) -> bytes:
        """Return the end of what came."""
        head, tail = self.streams[stream].ends()
        return tail or head

    def _save(self, data: bytes) -> None:
        if self._file is None:
            self._order.append(data)
            self._waiting += len(data)
            if self._waiting <= self._limits.head + self._limits.tail:
                return
            data = b"".join(self._order)
            self._order = []
        try:
            self._write(data)
        except OSError as error:
            self.trouble = f"not all of it could be saved: {error.strerror}"

    def _write(self, data: bytes) -> None:
        if self._file is None and self._save_to is not None:
            self.path = self._save_to()
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            self._file = os.open(self.path, flags, 0o600)
        if self.saved + len(data) > self._limits.saved:
            data = data[: self._limits.saved - self.saved]
            self.trouble = f"only the first {self._limits.saved:,} bytes were saved"
        left = memoryview(data)
        while left and self._file is not None:
            left = left[os.write(self._file, left) :]
        self.saved += len(data)

    def keep(self) -> Path | None:
        """Save what came even if all of it is at hand; returns where it is."""
        if self._file is None and self._order:
            data, self._order = b"".join(self._order), []
            self._write(data)
        return self.path

    def close(self) -> None:
        """Close the file on disk; it stays."""
        if self._file is not None:
            os.close(self._file)
        self._file = None


def _widen(fd: int, size: int) -> None:
    """Let more fit into a pipe that much comes through; a file or terminal has no such size."""
    if _SET_PIPE_SIZE is None or size >= 2 * _GROW_PIPE_AFTER:
        return
    try:
        fcntl.fcntl(fd, _SET_PIPE_SIZE, _LARGE_PART)
    except OSError:
        return
