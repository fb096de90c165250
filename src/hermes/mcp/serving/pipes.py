"""Lines in and out of two descriptors: nothing waits, nothing grows without bound."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import threading
from collections.abc import Callable
from typing import NamedTuple

_READ_BYTES = 262_144


class TooLong(NamedTuple):
    """A line that was thrown away because of its length, by what it began with."""

    head: bytes


class Lines:
    """Cut what comes in into lines; one that grows too long is thrown away as it comes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._rest = bytearray()
        self._head: bytes | None = None
        """The beginning of the line that is being thrown away."""

    def feed(self, data: bytes) -> list[bytes | TooLong]:
        """Return the lines that are complete now, without their ends."""
        found: list[bytes | TooLong] = []
        *ends, last = data.split(b"\n")
        for end in ends:
            self._rest += end
            found += self._taken()
        self._rest += last
        if len(self._rest) > self._most:
            self._head = self._head or bytes(self._rest[:1_000])
            self._rest.clear()
        return found

    def end(self) -> list[bytes | TooLong]:
        """Return the last line, which has no end."""
        return self._taken()

    def _taken(self) -> list[bytes | TooLong]:
        line, head = bytes(self._rest), self._head
        self._rest.clear()
        self._head = None
        if head is not None or len(line) > self._most:
            return [TooLong(head or line[:1_000])]
        return [line] if line.strip() else []


class Writer:
    """Write to a descriptor at once where it takes it, and else as soon as it does."""

    def __init__(self, descriptor: int, most: int) -> None:
        self._descriptor = descriptor
        self._most = most
        self._loop = asyncio.get_running_loop()
        self._rest = bytearray()
        self._drained = asyncio.Event()
        self._drained.set()
        self.is_broken = False
        self.on_full: Callable[[bool], None] = lambda _: None
        """Told when more waits to be written than should, and when it is gone."""
        self._is_full = False
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
            os.set_blocking(descriptor, False)

    def write(self, data: bytes) -> None:
        """Send some bytes; what is written to nobody is lost."""
        if self.is_broken:
            return
        if not self._rest:
            data = data[self._written(data) :]
            if not data or self.is_broken:
                return
            self._drained.clear()
            self._loop.add_writer(self._descriptor, self._go_on)
        self._rest += data
        if len(self._rest) > self._most and not self._is_full:
            self._is_full = True
            self.on_full(True)

    async def drain(self) -> None:
        """Wait until everything is written."""
        await self._drained.wait()

    def close(self) -> None:
        """Stop writing."""
        if self._rest:
            self._loop.remove_writer(self._descriptor)
        self._rest.clear()
        self._drained.set()

    def _go_on(self) -> None:
        del self._rest[: self._written(self._rest)]
        if self.is_broken:
            self._rest.clear()
        if not self._rest:
            self._loop.remove_writer(self._descriptor)
            self._drained.set()
        if self._is_full and len(self._rest) <= self._most // 2:
            self._is_full = False
            self.on_full(False)

    def _written(self, data: bytes | bytearray) -> int:
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:
            return 0
        except OSError:  # whoever read this has gone; the end of input will tell
            self.is_broken = True
            return len(data)


class Reader:
    """Hand on what comes in on a descriptor, on the running loop."""

    def __init__(
        self, descriptor: int, take: Callable[[bytes], None], ended: Callable[[], None]
    ) -> None:
        self._descriptor = descriptor
        self._take = take
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._is_watched = True
        """Whether the loop tells when there is something to read."""
        try:
            self._loop.add_reader(descriptor, self._read)
        except (PermissionError, OSError):  # a plain file is always ready, and cannot be watched
            self._is_watched = False
            threading.Thread(target=self._read_whole, daemon=True).start()

    def pause(self, is_paused: bool) -> None:
        """Stop taking anything in, or go on."""
        if not self._is_watched:
            return
        self._loop.remove_reader(self._descriptor)
        if not is_paused:
            self._loop.add_reader(self._descriptor, self._read)

    def close(self) -> None:
        """Take nothing in any more."""
        if self._is_watched:
            self._loop.remove_reader(self._descriptor)
        self._is_watched = False

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, _READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._take(data)
        else:
            self.close()
            self._ended()

    def _read_whole(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self._descriptor, _READ_BYTES):
                self._loop.call_soon_threadsafe(self._take, data)
        self._loop.call_soon_threadsafe(self._ended)
