"""Commands in the background on this machine: pipes or a terminal, read by a thread of our own."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import signal
import struct
import termios
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import NamedTuple, Protocol

from hermes.environments.contract import Command, How, Outcome, Screen, Watcher
from hermes.environments.inside.pump import Pump
from hermes.environments.inside.shell import Running, Shell

Three = tuple[int, int, int]
Buffer = bytes | memoryview
_END_OF_INPUT = b"\x04"
_ROOM_SECONDS = 0.25


class Inside(Protocol):
    """A program in its box."""

    def on_end(self, call: Callable[[int, str], object]) -> None:
        """Have something called with its exit code, negative for a signal, and why it never ran."""

    async def ended(self) -> int:
        """Wait for its exit code."""

    def signal(self, number: int) -> None:
        """Send a signal to it and its group."""

    def kill(self) -> None:
        """End it with all that it started."""

    def explain(self, errors: bytes, code: int, cwd: str) -> str | None:
        """Return which rules of its box stopped what it tried."""


class Ends(NamedTuple):
    """The two sides of a program's streams."""

    theirs: Three
    stdin: int
    outputs: tuple[tuple[int, int], ...]
    """Streams, and the descriptors to read them from."""
    is_terminal: bool

    def let_go(self) -> None:
        """Close the program's side, once it has it."""
        for fd in set(self.theirs):
            os.close(fd)

    def close(self) -> None:
        """Close our side."""
        for fd in {self.stdin, *(fd for _, fd in self.outputs)}:
            os.close(fd)


def standard(command: Command) -> Ends:
    """Return streams for a command: pipes, or a terminal of the size it asks for."""
    if command.pty is None:
        their_in, our_in = os.pipe()
        our_out, their_out = os.pipe()
        our_err, their_err = os.pipe()
        for fd in (our_in, our_out, our_err):
            os.set_blocking(fd, False)
        return Ends((their_in, their_out, their_err), our_in, ((0, our_out), (1, our_err)), False)
    ours, theirs = os.openpty()
    os.set_blocking(ours, False)
    _resize(ours, command.pty)
    return Ends((theirs, theirs, theirs), ours, ((0, ours),), True)


def _resize(terminal: int, screen: Screen) -> None:
    packed = struct.pack("4H", screen.rows, screen.columns, 0, 0)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, packed)


class Background:
    """What all commands in the background have: an end that is noticed and told once."""

    def __init__(self, inside: Inside, watcher: Watcher, pump: Pump) -> None:
        self._inside, self._watcher, self._pump = inside, watcher, pump
        self._started = time.monotonic()
        self._ended: Future[Outcome] = Future()
        self._lock = threading.Lock()
        self._open: set[int] = set()
        self._code: int | None = None
        self._trouble = ""
        self._is_told = False

    pid: int | None = None

    def _read(self, stream: int, fd: int) -> None:
        self._open.add(fd)

        def take(fd: int) -> bool:
            try:
                if self._watcher.take(stream, fd):
                    return True
            except BlockingIOError:
                return True
            except OSError:  # the other side of a terminal is gone
                pass
            self._closed(fd)
            return False

        self._pump.add(fd, take)

    def _closed(self, fd: int) -> None:
        with self._lock:
            self._open.discard(fd)
        self._release(fd)
        self._settle()

    def _release(self, fd: int) -> None:
        os.close(fd)

    def _finished(self, code: int, trouble: str) -> None:
        self._code = code if self._code is None else self._code
        self._trouble = trouble
        self._gone()
        self._settle()

    def _gone(self) -> None:
        """Do what is left to do when the program has ended."""

    def _settle(self) -> None:
        """Tell the end once the program has ended and all that it printed was read."""
        with self._lock:
            if self._code is None or self._open or self._is_told:
                return
            self._is_told = True
        how: How = "signalled" if self._code < 0 else "exited"
        seconds = time.monotonic() - self._started
        self._ended.set_result(Outcome(self._code, how, seconds, "", self._trouble))

    def on_end(self, call: Callable[[Outcome], object]) -> None:
        """Have something called with how it ended; at once if it has."""
        self._ended.add_done_callback(lambda ended: call(ended.result()))

    async def wait(self) -> Outcome:
        """Wait for its end."""
        return await asyncio.shield(asyncio.wrap_future(self._ended))

    async def signal(self, number: int) -> None:
        """Send a signal to it and its group."""
        self._inside.signal(number)

    async def stop(self, grace_seconds: float) -> None:
        """End it: by TERM, and after a while by KILL, with all that it started."""
        self._inside.signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace_seconds):
                await self.wait()
        self._inside.kill()

    def explain(self, errors: bytes, cwd: str) -> str:
        """Return which rules of its box stopped what it tried."""
        return self._inside.explain(errors, self._code or 0, cwd) or ""

    async def close(self) -> None:
        """Kill it with all that it started, if it still runs."""
        self._inside.kill()
        await self.wait()


class LocalProcess(Background):
    """A command with streams of its own."""

    def __init__(self, inside: Inside, ends: Ends, watcher: Watcher, pump: Pump) -> None:
        super().__init__(inside, watcher, pump)
        self._stdin, self._is_terminal = ends.stdin, ends.is_terminal
        self._feeding: asyncio.Future[None] | None = None
        self._fed: Future[None] | None = None
        for stream, fd in ends.outputs:
            self._read(stream, fd)
        inside.on_end(self._finished)
        self._ended.add_done_callback(lambda _: self._end_input())

    def _release(self, fd: int) -> None:
        with self._lock:
            if fd == self._stdin:
                self._stdin = -1
        os.close(fd)

    def feed(self, data: bytes, *, ends: bool) -> None:
        """Write what a command begins with, as it reads it, and perhaps that no more comes."""
        if data:
            self._fed = Future()
            self._feeding = asyncio.ensure_future(self._feed(data, self._fed, ends=ends))
        elif ends:
            self._end_input()

    async def _feed(self, data: bytes, fed: Future[None], *, ends: bool) -> None:
        try:
            await self._write(data)
        except BrokenPipeError:
            return  # it ended, or wants to read no more
        finally:
            if ends:
                self._end_input()
            fed.set_result(None)

    async def write(self, data: bytes) -> None:
        """Write to its input as it reads it.

        Raises:
            BrokenPipeError: it reads no more.
        """
        if self._fed is not None:
            await asyncio.shield(asyncio.wrap_future(self._fed))
        await self._write(data)

    async def _write(self, data: Buffer) -> None:
        left: Buffer = memoryview(data)
        while left:
            left = self._put(left)
            if left:
                await _writable(self._stdin)

    def _put(self, data: Buffer) -> Buffer:
        """Write what there is room for, and return the rest."""
        try:
            with self._lock:  # the pump closes it when the command ends
                if self._stdin < 0:
                    raise BrokenPipeError
                return data[os.write(self._stdin, data) :]
        except BlockingIOError:
            return data
        except OSError as error:
            raise BrokenPipeError from error

    async def close_input(self) -> None:
        """Tell it that nothing more comes."""
        if self._is_terminal:
            await self.write(_END_OF_INPUT)
        else:
            self._end_input()

    def _end_input(self) -> None:
        with self._lock:
            fd, self._stdin = self._stdin, -1
        if fd >= 0 and not self._is_terminal:
            os.close(fd)

    async def resize(self, screen: Screen) -> None:
        """Tell it the size of its terminal."""
        if self._is_terminal and self._stdin >= 0:
            _resize(self._stdin, screen)


class MovedProcess(Background):
    """A command that began in the task's shell and took it into the background."""

    def __init__(
        self, shell: Shell, running: Running, inside: Inside, watcher: Watcher, pump: Pump
    ) -> None:
        super().__init__(inside, watcher, pump)
        self._shell = shell
        self._pipes = running.detach()
        for stream, fd in self._pipes:
            self._read(stream, fd)
        self._news = shell.news()
        pump.add(self._news, self._answered)
        inside.on_end(self._finished)

    def _answered(self, fd: int) -> bool:
        """Take the shell's answer, and end the shell: nobody else has use for it."""
        try:
            code = self._shell.answer_of(fd)
        except EOFError:  # it ended with the command, and that is noticed by itself
            self._end_news()
            return False
        if code is None:
            return True
        self._end_news()
        self._code = code
        self._inside.kill()
        return False

    def _end_news(self) -> None:
        fd, self._news = self._news, -1
        os.close(fd)

    def _gone(self) -> None:
        """Read what is left: we hold the other side of the pipes, so they never end."""
        for stream, fd in self._pipes:
            if self._pump.remove(fd):
                with contextlib.suppress(BlockingIOError):
                    while self._watcher.take(stream, fd):
                        pass
                self._open.discard(fd)
                os.close(fd)
        if self._news >= 0 and self._pump.remove(self._news):
            self._end_news()
        self._shell.abandon()

    async def write(self, data: bytes) -> None:
        """Refuse: it was started without an input."""
        del data
        raise BrokenPipeError

    async def close_input(self) -> None:
        """Do nothing: it has no input."""

    async def resize(self, screen: Screen) -> None:
        """Do nothing: it has no terminal."""


async def _writable(fd: int) -> None:
    """Wait for room, or a little: who else waits for the same one, or closes it, is not told."""
    loop = asyncio.get_running_loop()
    room: asyncio.Future[None] = loop.create_future()
    try:
        loop.add_writer(fd, _settle, room)
    except OSError:  # it was closed
        return
    try:
        await asyncio.wait({room}, timeout=_ROOM_SECONDS)
    finally:
        loop.remove_writer(fd)


def _settle(room: asyncio.Future[None]) -> None:
    if not room.done():
        room.set_result(None)
