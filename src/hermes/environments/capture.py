"""Keep what a command prints: its beginning and its end at hand, all of it on disk."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

OUTPUT, ERRORS = 0, 1
_PART = 1 << 16
_PARTS_AT_ONCE = 16
_WRITTEN_AT_ONCE = 1 << 20
_MOST_PARTS = 1_000  # a system call takes about as many
_WIDE = 1 << 20
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
        if len(data) > 4 * self._limits.tail:
            data = data[-self._limits.tail :]
        self._tail.append(data)  # as it came: cutting each part would copy all of the stream
        self._tail_size += len(data)
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
        data = os.read(fd, _PART)
        taken = len(data)
        if data:
            self.feed(stream, data)
        if taken == _PART and not os.get_blocking(fd):
            _widen(fd, self.streams[stream].size)
            taken += self._take_more(stream, fd)
        return taken

    def _take_more(self, stream: int, fd: int) -> int:
        """Read on from a stream that much comes through, as long as there is more, or so often."""
        taken = 0
        with contextlib.suppress(BlockingIOError):
            for _ in range(_PARTS_AT_ONCE):
                data = os.read(fd, _PART)
                if data:
                    self.feed(stream, data)
                taken += len(data)
                if len(data) < _PART:
                    break
        return taken

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
        self._order.append(data)
        self._waiting += len(data)
        at_hand = self._limits.head + self._limits.tail
        if self._waiting > (at_hand if self._file is None else _WRITTEN_AT_ONCE):
            self._flush()

    def _flush(self) -> None:
        """Write what waits: in large parts, which a file system takes in half the time."""
        parts, self._order, self._waiting = self._order, [], 0
        try:
            self._write(parts)
        except OSError as error:
            self.trouble = f"not all of it could be saved: {error.strerror}"

    def _write(self, parts: list[bytes]) -> None:
        if self._file is None and self._save_to is not None:
            self.path = self._save_to()
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            self._file = os.open(self.path, flags, 0o600)
        size = sum(map(len, parts))
        if self.saved + size > self._limits.saved or len(parts) > _MOST_PARTS:
            parts = [b"".join(parts)[: self._limits.saved - self.saved]]
        if self.saved + size > self._limits.saved:
            self.trouble = f"only the first {self._limits.saved:,} bytes were saved"
            size = len(parts[0])
        if self._file is not None and size:
            written = os.writev(self._file, parts)
            left = memoryview(b"".join(parts))[written:] if written < size else memoryview(b"")
            while left:
                left = left[os.write(self._file, left) :]
        self.saved += size

    def keep(self) -> Path | None:
        """Save what came even if all of it is at hand; returns where it is."""
        if self._order and self._save_to is not None:
            self._flush()
        return self.path

    def close(self) -> None:
        """Close the file on disk; it stays."""
        if self._file is not None:
            if self._order:
                self._flush()
            os.close(self._file)
        self._file = None


def _widen(fd: int, size: int) -> None:
    """Let more fit into a pipe that much comes through; a file or terminal has no such size."""
    if _SET_PIPE_SIZE is None or not _GROW_PIPE_AFTER <= size < 2 * _GROW_PIPE_AFTER:
        return
    with contextlib.suppress(OSError):
        fcntl.fcntl(fd, _SET_PIPE_SIZE, _WIDE)
