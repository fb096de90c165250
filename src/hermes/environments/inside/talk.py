"""The socket by which a shell is told what to run, and says how it went."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from typing import Optional, Tuple

from hermes.environments.inside.fifos import readable

Answer = Optional[Tuple[str, str]]
"""Two words: an exit code and a folder. None when the shell has ended."""
_CREDENTIALS = 12
_PART = 1 << 16


class Talk:
    """Our end of a socket; one question at a time."""

    def __init__(self, ours: socket.socket) -> None:
        ours.setblocking(False)
        with contextlib.suppress(AttributeError, OSError):
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._socket = ours
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._got = b""
        self.process = 0
        """The number of the process that answered, as it is known on this side."""

    def ask(self, data: bytes) -> asyncio.Future[Answer]:
        """Say something, and return what will be answered."""
        try:
            sent = self._socket.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            return _known(None)
        if sent < len(data):
            return asyncio.ensure_future(self._ask_slowly(data[sent:]))
        return self._expected()

    async def _ask_slowly(self, data: bytes) -> Answer:
        try:
            await asyncio.get_running_loop().sock_sendall(self._socket, data)
        except OSError:
            return None
        return await self.answer()

    def _expected(self) -> asyncio.Future[Answer]:
        """Return the next answer as a future that the socket itself settles."""
        if self._got:
            return asyncio.ensure_future(self.answer())
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        loop.add_reader(self._socket, self._take, future)
        self._loop = loop
        return future

    def _take(self, future: asyncio.Future[Answer]) -> None:
        if future.done():  # nobody waits any more; whoever comes next reads it
            self.leave()
            return
        try:
            part = self._received()
        except BlockingIOError:
            return
        except OSError:
            part = b""
        self._got += part
        if not part or self._is_whole():
            self.leave()
            future.set_result(self._split() if part else None)

    def leave(self) -> None:
        """Stop reading on the running loop: whoever asked reads elsewhere, or has all."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.remove_reader(self._socket)

    async def answer(self) -> Answer:
        """Wait for an answer."""
        loop = asyncio.get_running_loop()
        while not self._is_whole():
            try:
                await readable(loop, self._socket)
                part = self._received()
            except BlockingIOError:
                continue
            except OSError:
                part = b""
            if not part:
                return None
            self._got += part
        return self._split()

    def _received(self) -> bytes:
        """Take what has come of an answer; the first one of a shell tells which process it is."""
        if self.process:
            return self._socket.recv(_PART)
        part, extra, _, _ = self._socket.recvmsg(_PART, socket.CMSG_SPACE(_CREDENTIALS))
        for level, kind, packed in extra:
            if level == socket.SOL_SOCKET and kind == getattr(socket, "SCM_CREDENTIALS", -1):
                self.process = struct.unpack("3i", packed[:_CREDENTIALS])[0]
        return part

    def take_from(self, fd: int) -> Answer:
        """Return the answer, if what has come by another descriptor completes it.

        Raises:
            EOFError: the other side has ended.
        """
        part = os.read(fd, _PART)
        if not part:
            raise EOFError
        self._got += part
        return self._split() if self._is_whole() else None

    def copy(self) -> int:
        """Return a descriptor of its own on which the next answer comes."""
        return os.dup(self._socket.fileno())

    def close(self) -> None:
        """Let go of the socket; a loop that still reads must not take its number for another."""
        self.leave()
        self._socket.close()

    def _is_whole(self) -> bool:
        return self._got.count(b"\0") >= 2

    def _split(self) -> Tuple[str, str]:
        first, second, self._got = self._got.split(b"\0", 2)
        return first.decode(), second.decode("utf-8", "surrogateescape")


def _known(answer: Answer) -> asyncio.Future[Answer]:
    future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    future.set_result(answer)
    return future
