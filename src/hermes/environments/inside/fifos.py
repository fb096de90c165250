"""The files that a persistent shell's commands read from and write to, used again and again."""

# Paths are strings here: they are handed to a shell.
# ruff: noqa: PTH108, PTH211
from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import stat
from typing import Optional, Protocol, Tuple


class Broken(OSError):
    """The shell could not be started, or does not answer."""


class Sink(Protocol):
    """Takes what a command prints; whoever runs a command hands one in."""

    def take(self, stream: int, fd: int) -> int:
        """Read what there is, and return how many bytes it was.

        Raises:
            BlockingIOError: nothing is there now.
        """


class Pipes:
    """The three files of a shell's commands, used again as long as nobody else holds them."""

    _count = 0

    def __init__(self, folder: str) -> None:
        Pipes._count = (Pipes._count + 1) % 10_000
        self.suffix = f"{Pipes._count:04d}"
        self._folder = folder
        for name in ("o", "e"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path(name))
            os.mkfifo(self._path(name), 0o600)
        self.output = self._open("o", os.O_RDWR)
        self.errors = self._open("e", os.O_RDWR)
        self._given: Optional[bytes] = None

    def give(self, stdin: bytes) -> None:
        """Put a command's input where it finds it."""
        if stdin == self._given:
            return
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path("i"))
        self._given = stdin
        if not stdin:
            os.symlink(os.devnull, self._path("i"))
            return
        fd = os.open(self._path("i"), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(stdin)

    def rest(self) -> bool:
        """Say whether nobody else holds the pipes, so that they can be used again."""
        fds = [self._open(name, os.O_RDONLY) for name in ("o", "e")]
        os.close(self.output)
        os.close(self.errors)
        self.output, self.errors = fds
        if not all(map(_is_deserted, fds)):
            return False
        self.output, self.errors = self._open("o", os.O_RDWR), self._open("e", os.O_RDWR)
        for fd in fds:
            os.close(fd)
        return True

    def leave(self) -> Tuple[int, int]:
        """Remove the names, and hand over the descriptors."""
        self._remove()
        return self.output, self.errors

    def close(self) -> None:
        """Close the pipes and remove their names."""
        for fd in (self.output, self.errors):
            os.close(fd)
        self._remove()

    def _remove(self) -> None:
        for name in ("o", "e", "i"):
            with contextlib.suppress(OSError):
                os.unlink(self._path(name))

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}{self.suffix}"

    def _open(self, name: str, mode: int) -> int:
        fd = os.open(self._path(name), mode | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        if not stat.S_ISFIFO(os.fstat(fd).st_mode):
            os.close(fd)
            raise Broken(0, "a command has replaced the shell's own files")
        return fd


def _is_deserted(fd: int) -> bool:
    try:
        return os.read(fd, 1) == b""
    except BlockingIOError:
        return False


def take(sink: Sink, stream: int, fd: int) -> None:
    """Give a sink what there is now."""
    with contextlib.suppress(BlockingIOError):
        sink.take(stream, fd)


def drain(sink: Sink, stream: int, fd: int) -> None:
    """Give a sink all that is left."""
    with contextlib.suppress(BlockingIOError):
        while sink.take(stream, fd):
            pass


class Nothing:
    """Forgets what a command prints."""

    def take(self, stream: int, fd: int) -> int:
        """Read and forget."""
        del stream
        return len(os.read(fd, 1 << 16))


async def readable(loop: asyncio.AbstractEventLoop, channel: socket.socket) -> None:
    """Wait until a socket has something to read."""
    news: asyncio.Future[None] = loop.create_future()
    loop.add_reader(channel, _settle, news)
    try:
        await news
    finally:
        loop.remove_reader(channel)


def _settle(news: asyncio.Future[None]) -> None:
    if not news.done():
        news.set_result(None)
