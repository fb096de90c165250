"""The ways to a script: a pair of sockets on this machine, its input and output elsewhere."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from hermes.environments.contract import Outcome, Process
from hermes.services.scripting.framing import END, OUTPUT, Reader, Unreadable
from hermes.services.scripting.printed import Printed

Heard = Callable[[bytes, bytes], None]
_NOT_UNDERSTOOD = b"?"


def _ignore(kind: bytes, data: bytes) -> None:
    """Take a frame that nobody waits for yet."""
    del kind, data


class Line(Protocol):
    """An interpreter that waits for a script, or runs it; whoever has it closes it."""

    printed: Printed
    process: Process

    async def open(self, heard: Heard) -> None:
        """Have the frames that come handed on, on the running loop."""

    def send(self, data: bytes) -> None:
        """Send frames."""

    async def ended(self) -> Outcome:
        """Wait for the end of the script."""

    def denied_by(self) -> str:
        """Return which rules of its box stopped what it tried, once it has ended."""

    def hang_up(self) -> None:
        """Let go of the channel; the process stays."""


class PairLine(asyncio.Protocol):
    """A script on this machine that has the other one of two sockets.

    Neither has a name, so nobody else can connect to it; and a box lets no program connect to a
    socket by name.
    """

    def __init__(
        self,
        ours: socket.socket,
        process: Process,
        printed: Printed,
        explain: Callable[[], str] = lambda: "",
    ) -> None:
        self.printed, self.process = printed, process
        self._explain = explain
        self._socket = ours
        self._transport: asyncio.Transport | None = None
        self._reader = Reader(_ignore)
        self._heard: Heard = _ignore

    async def open(self, heard: Heard) -> None:
        """Have the frames that come handed on, on the running loop."""
        self._heard, self._reader = heard, Reader(heard)
        self._socket.setblocking(False)
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_unix_connection(lambda: self, sock=self._socket)

    def data_received(self, data: bytes) -> None:
        """Take what the script sent."""
        try:
            self._reader.feed(data)
        except Unreadable:
            self._heard(_NOT_UNDERSTOOD, b"")

    def send(self, data: bytes) -> None:
        """Send frames."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    async def ended(self) -> Outcome:
        """Wait for the end of the script, with all that it started."""
        return await self.process.wait()

    def denied_by(self) -> str:
        """Return which rules of its box stopped what it tried."""
        return self._explain()

    def hang_up(self) -> None:
        """Let go of the channel."""
        if self._transport is not None:
            self._transport.abort()
        else:
            self._socket.close()


class StreamLine:
    """A script elsewhere: its input and output are the channel, and what it prints comes on it.

    It is the watcher of the process, which is given to it once it is started.
    """

    process: Process

    def __init__(self, printed: Printed) -> None:
        self.printed = printed
        self._reader = Reader(self._frame)
        self._heard: Heard = _ignore
        self._loop = asyncio.get_running_loop()
        self._writing: asyncio.Future[None] | None = None
        self._unsent = bytearray()
        self._code: asyncio.Future[int] = self._loop.create_future()

    async def open(self, heard: Heard) -> None:
        """Have the frames that come handed on."""
        self._heard = heard

    def take(self, stream: int, fd: int) -> int:
        """Read what a descriptor has now."""
        if stream:
            return self.printed.take(stream, fd)
        data = os.read(fd, 1 << 16)
        self.feed(stream, data)
        return len(data)

    def feed(self, stream: int, data: bytes) -> None:
        """Take more of a stream, from whichever thread."""
        if stream:
            self.printed.feed(stream, data)
        elif data:
            self._loop.call_soon_threadsafe(self._hear, data)

    def last(self, stream: int) -> bytes:
        """Return the end of what came on a stream."""
        return self.printed.last(stream)

    def _hear(self, data: bytes) -> None:
        try:
            self._reader.feed(data)
        except Unreadable:
            self._heard(_NOT_UNDERSTOOD, b"")

    def _frame(self, kind: bytes, data: bytes) -> None:
        if kind == OUTPUT:
            self.printed.feed(0, data)
        elif kind == END:
            self._end(data)
        else:
            self._heard(kind, data)

    def _end(self, data: bytes) -> None:
        if not self._code.done():
            is_number = data.removeprefix(b"-").isdigit()
            self._code.set_result(int(data) if is_number else 1)

    def send(self, data: bytes) -> None:
        """Send frames, in order."""
        self._unsent += data
        if self._writing is None or self._writing.done():
            self._writing = asyncio.ensure_future(self._write())

    async def _write(self) -> None:
        while self._unsent:
            data, self._unsent = bytes(self._unsent), bytearray()
            try:
                await self.process.write(data)
            except BrokenPipeError:
                return  # it has ended

    async def ended(self) -> Outcome:
        """Wait for the end of the script; what it started then ends, too."""
        gone = asyncio.ensure_future(self.process.wait())
        awaited: set[asyncio.Future[Any]] = {gone, self._code}
        try:
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.sleep(0)  # what was heard is handed on before the end is
            if not self._code.done():
                return await gone
            await self.process.close()
            outcome = await gone
            return replace(outcome, exit_code=self._code.result(), how="exited", note="")
        finally:
            gone.cancel()

    def denied_by(self) -> str:
        """Return nothing: it is not known here."""
        return ""

    def hang_up(self) -> None:
        """Let go of the channel."""
        if self._writing is not None:
            self._writing.cancel()
