"""A command with streams of its own: pipes or a terminal, read on the agent's loop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import signal
import struct
import termios
from typing import Dict, List, Optional, Tuple

from hermes.environments.inside.children import Child, Children
from hermes.environments.inside.fifos import Sink

_GRACE_SECONDS = 2.0
_END_OF_INPUT = b"\x04"


class Job:
    """One such command. It has ended when its program has and its streams are read."""

    def __init__(
        self,
        children: Children,
        argv: List[str],
        cwd: str,
        sink: Sink,
        screen: Optional[List[int]] = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._sink, self._is_terminal = sink, screen is not None
        self._outputs: Dict[int, int] = {}
        self._closed = asyncio.Event()
        theirs = self._open_terminal(screen) if screen is not None else self._open_pipes()
        try:
            self.child: Child = children.start(argv, theirs, cwd)
        except BaseException:
            self.release()
            raise
        finally:
            for fd in set(theirs):
                os.close(fd)
        for fd, stream in self._outputs.items():
            self._loop.add_reader(fd, self._take, stream, fd)

    @property
    def pid(self) -> int:
        """The number of its first process."""
        return self.child.pid

    def send(self, number: int) -> None:
        """Send a signal to it and all that it started."""
        self.child.send(number)

    def _open_pipes(self) -> Tuple[int, int, int]:
        their_in, self._stdin = os.pipe()
        our_out, their_out = os.pipe()
        our_err, their_err = os.pipe()
        self._outputs = {our_out: 0, our_err: 1}
        for fd in (self._stdin, our_out, our_err):
            os.set_blocking(fd, False)
        return their_in, their_out, their_err

    def _open_terminal(self, screen: List[int]) -> Tuple[int, int, int]:
        ours, theirs = os.openpty()
        os.set_blocking(ours, False)
        self._stdin, self._outputs = ours, {ours: 0}
        self.resize(screen)
        return theirs, theirs, theirs

    def _take(self, stream: int, fd: int) -> None:
        try:
            if self._sink.take(stream, fd):
                return
        except BlockingIOError:
            return
        except OSError:  # the other side of a terminal is gone
            pass
        self._drop(fd)

    def _drop(self, fd: int) -> None:
        self._loop.remove_reader(fd)
        del self._outputs[fd]
        if fd == self._stdin:
            self._loop.remove_writer(fd)
            self._stdin = -1
        os.close(fd)
        if not self._outputs:
            self._closed.set()

    async def ended(self) -> int:
        """Wait for its end and that of its streams."""
        code = await self.child.wait()
        await self._closed.wait()
        self.close_input_now()
        return code

    async def exited(self, seconds: Optional[float] = None) -> Optional[int]:
        """Wait for the end of its program at most so long, and read what it has printed."""
        await asyncio.wait({self.child.ended}, timeout=seconds)
        if not self.child.ended.done():
            return None
        for fd, stream in tuple(self._outputs.items()):
            while fd in self._outputs and _has_more(fd):
                self._take(stream, fd)
        return self.child.ended.result()

    async def write(self, data: bytes) -> None:
        """Write to its input as it reads it.

        Raises:
            BrokenPipeError: it reads no more.
        """
        left = memoryview(data)
        while left:
            if self._stdin < 0:
                raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
            try:
                left = left[os.write(self._stdin, left) :]
            except BlockingIOError:
                await self._writable()

    async def _writable(self) -> None:
        room = asyncio.Event()
        fd = self._stdin
        self._loop.add_writer(fd, room.set)
        ended = asyncio.ensure_future(self._closed.wait())
        waiting = asyncio.ensure_future(room.wait())
        try:
            await asyncio.wait({waiting, ended}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            ended.cancel()
            if self._stdin == fd:
                self._loop.remove_writer(fd)

    async def close_input(self) -> None:
        """Tell it that nothing more comes."""
        if self._is_terminal:
            await self.write(_END_OF_INPUT)
        else:
            self.close_input_now()

    def close_input_now(self) -> None:
        """Close its pipe; a terminal stays open."""
        if self._stdin >= 0 and not self._is_terminal:
            self._loop.remove_writer(self._stdin)
            os.close(self._stdin)
            self._stdin = -1

    def resize(self, screen: List[int]) -> None:
        """Tell it the size of its terminal, columns and rows."""
        if self._is_terminal and self._stdin >= 0:
            packed = struct.pack("4H", screen[1], screen[0], 0, 0)
            fcntl.ioctl(self._stdin, termios.TIOCSWINSZ, packed)

    async def stop(self) -> None:
        """End it: by TERM, and after a while by KILL, with all that it started."""
        self.child.send(signal.SIGTERM)
        await asyncio.wait({self.child.ended}, timeout=_GRACE_SECONDS)
        self.child.kill()
        await self.child.wait()

    def release(self) -> None:
        """Close what is still open on our side."""
        self.close_input_now()
        for fd in tuple(self._outputs):
            with contextlib.suppress(OSError):
                self._drop(fd)

    def linger(self) -> None:
        """Read on and keep nothing: a closed pipe would kill what still writes to it."""
        self._sink = Nothing()
        self.close_input_now()


class Nothing:
    """Keep nothing of what is printed."""

    def take(self, stream: int, fd: int) -> int:
        """Read what there is."""
        del stream
        return len(os.read(fd, 1 << 16))


def _has_more(fd: int) -> bool:
    waiting = bytearray(4)
    try:
        fcntl.ioctl(fd, termios.FIONREAD, waiting)
    except OSError:
        return False
    return int(struct.unpack("i", waiting)[0]) > 0
