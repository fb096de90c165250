"""A process in its box, seen from outside."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import socket
import struct
import threading
from collections.abc import Callable, Iterator

_LARGEST_MESSAGE = 65_536


class NotStarted(OSError):
    """The program could not be started, or its box could not be built."""


class Child:
    """Wait for a process, signal it, or end it with everything it has started.

    Closing without having waited kills it. ``on_end`` is called once, when nothing of it is left.
    Several threads may wait for it at once.
    """

    def __init__(self, control: socket.socket, on_end: Callable[[], None]) -> None:
        self._control = control
        self._polling = threading.RLock()
        self._on_end = on_end
        self._code: int | None = None
        self._error: OSError | None = None
        self.listener: socket.socket | None = None
        """A socket that listens on the box's own loopback, once it has come."""

    def fileno(self) -> int:
        """Return a descriptor that is readable when there is news."""
        return self._control.fileno()

    def signal(self, number: int) -> None:
        """Send a signal to the process and the others of its group."""
        with contextlib.suppress(OSError):
            self._control.send(bytes([number]))

    def kill(self) -> None:
        """Kill the process and all that descends from it; wait for the end as usual."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)

    def poll(self) -> int | None:
        """Take what news there is; return the exit code, or None while it runs.

        Raises:
            OSError: it never ran; the message says why.
        """
        with self._polling:
            while not self.is_over:
                try:
                    message, descriptors = _received(self._control)
                except BlockingIOError:
                    return None
                self._take(message, descriptors)
                if self.listener is not None and message[:1] == b"L":
                    return None
        if self._error is not None:
            raise self._error
        return self._code

    def wait(self, seconds: float | None = None) -> int | None:
        """Wait for the exit code; None if it still runs after so many seconds."""
        waiting = select.poll()
        with self._own_control() as control:
            while (code := self.poll()) is None:
                waiting.register(control, select.POLLIN)
                if not waiting.poll(None if seconds is None else seconds * 1000):
                    return None
        return code

    @contextlib.contextmanager
    def _own_control(self) -> Iterator[int]:
        """Give a descriptor for news that stays open though another thread takes the last ones."""
        with self._polling:
            control = -1 if self.is_over else os.dup(self._control.fileno())
        try:
            yield control
        finally:
            if control != -1:
                os.close(control)

    async def _news(self) -> None:
        loop = asyncio.get_running_loop()
        news: asyncio.Future[None] = loop.create_future()
        with self._own_control() as control:
            if control == -1:
                return
            loop.add_reader(control, _settle, news)
            try:
                await news
            finally:
                loop.remove_reader(control)

    async def listening(self) -> socket.socket:
        """Wait for the socket that listens inside; it becomes the caller's.

        Raises:
            OSError: the box could not be built.
        """
        while self.listener is None:
            if self.poll() is not None:
                raise NotStarted(0, "the program ended before its network was there")
            if self.listener is None:
                await self._news()
        listener, self.listener = self.listener, None
        return listener

    async def ended(self) -> int:
        """Wait for the exit code on the running loop; being cancelled kills the process."""
        try:
            while (code := self.poll()) is None:
                await self._news()
        except asyncio.CancelledError:
            self.kill()
            raise
        return code

    def close(self) -> None:
        """Kill what still runs and wait until it is gone."""
        self.kill()
        with contextlib.suppress(OSError):
            self.wait()

    @property
    def is_over(self) -> bool:
        """Say whether nothing of it is left."""
        return self._code is not None or self._error is not None

    def _take(self, message: bytes, descriptors: list[int]) -> None:
        kind, text = message[:1], message[1:].decode(errors="replace")
        if kind == b"L":
            self.listener = socket.socket(fileno=descriptors[0])
        elif kind == b"E":
            number, _, what = text.partition(" ")
            self._finish(error=_error(int(number), what))
        elif kind == b"S":
            self._finish(code=os.waitstatus_to_exitcode(int(text)))
        else:
            self._finish(code=-signal.SIGKILL)  # its minder was killed, and it with its minder

    def _finish(self, *, code: int | None = None, error: OSError | None = None) -> None:
        self._code, self._error = code, error
        self._control.close()
        if self.listener is not None:
            self.listener.close()
        self._on_end()


def _received(control: socket.socket) -> tuple[bytes, list[int]]:
    """Take one message without waiting; the library's own function forgets its flags."""
    room = socket.CMSG_SPACE(4)
    message, extra, _, _ = control.recvmsg(_LARGEST_MESSAGE, room, socket.MSG_DONTWAIT)
    return message, [fd for _, _, packed in extra for fd in struct.unpack("i", packed[:4])]


def _settle(news: asyncio.Future[None]) -> None:
    if not news.done():
        news.set_result(None)


def _error(number: int, what: str) -> OSError:
    if what.startswith(("No such file", "Permission denied", "Not a directory", "Exec format")):
        return OSError(number, what)
    return NotStarted(number, what)
