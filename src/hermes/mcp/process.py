"""Speak to a server on the streams of its process: lines of JSON, within bounds, to a sure end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hermes.mcp.lines import Reading, Throttle, Writing
from hermes.mcp.shortcut import Shortcut

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from hermes.environments.sandbox.child import Child
    from hermes.mcp.server_log import ServerLog

LARGEST_MESSAGE = 16 * 1024 * 1024
"""Bytes of one message; a server that sends more is ended."""
_PART = 1 << 18
_GRACE_SECONDS = 1.0
_TERM_SECONDS = 1.0
_KILL_SECONDS = 5.0
_SIP = 1 << 13
"""Bytes that are read at a time of a server that floods us, so that others get their turn."""
_PAUSE_SECONDS = 0.01


class Started(NamedTuple):
    """A process that was started, with our ends of its streams; whoever holds it closes them."""

    child: Child
    stdin: int
    stdout: int
    stderr: int
    close: Callable[[], Awaitable[object]] | None = None
    """Lets go of what stood beside it, such as its proxy."""


class Launcher(Protocol):
    """Starts the processes of servers, inside the boundary that the profile in force describes."""

    async def start(
        self, argv: Sequence[str], *, cwd: str | None, env: dict[str, str], confined: bool | None
    ) -> Started:
        """Start a process.

        Raises:
            OSError: it or its box cannot be had.
            Denied: the profile is against it.
        """


class ProcessTransport:
    """The streams of one process as the SDK takes them; entered and left in one task."""

    def __init__(
        self,
        start: Callable[[], Awaitable[Started]],
        log: ServerLog,
        *,
        on_lost: Callable[[], object] = lambda: None,
        on_change: Callable[[], object] = lambda: None,
        on_log: Callable[[Mapping[str, Any]], object] | None = None,
        largest: int = LARGEST_MESSAGE,
    ) -> None:
        self._start = start
        self._log = log
        self._on_lost = on_lost
        self._on_change, self._on_log = on_change, on_log
        self._largest = largest
        self.reason = ""
        """Why the connection ended, once it has."""

    async def __aenter__(self) -> tuple[Reading, Writing]:
        """Start the process and return its streams."""
        self._process = await self._start()
        self._loop = asyncio.get_running_loop()
        for fd in (self._process.stdin, self._process.stdout, self._process.stderr):
            os.set_blocking(fd, False)
        self._open = {self._process.stdout, self._process.stderr}
        self.reading = Reading(self._resume)
        self.writing = Writing(self._process.stdin)
        self.shortcut = Shortcut(self.writing, self._loop)
        self._throttle = Throttle(self.shortcut.take, self._on_log)
        self._buffer = bytearray()
        self._scanned = 0
        self._part = _PART
        self._is_paused = False
        self._loop.add_reader(self._process.stdout, self._take)
        self._loop.add_reader(self._process.stderr, self._take_errors)
        self._end = self._loop.create_task(self._watch())
        return self.reading, self.writing

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process with all that it started, whatever happens meanwhile."""
        closing = self._loop.create_task(self._shut())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await closing  # it is bounded, and nothing of the process may be left
            raise

    def _take(self) -> None:
        """Take what the process has written, and pass on every line that is whole."""
        try:
            part = os.read(self._process.stdout, self._part)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            self._lose("it closed its output")
            return
        self._buffer += part
        dropped = self._throttle.dropped
        self._split()
        if self._throttle.missed_changes:  # the flood hid it, but it happened
            self._throttle.missed_changes.clear()
            self._on_change()
        if len(self._buffer) > self._largest:
            self._lose(f"it sent a message of more than {self._largest:,} bytes")
            self._process.child.kill()
            return
        is_flood = self._throttle.dropped != dropped
        self._part = _SIP if is_flood else _PART
        if is_flood or self.reading.is_full:
            self._pause(0.0 if self.reading.is_full else _PAUSE_SECONDS)

    def _split(self) -> None:
        buffer, start = self._buffer, 0
        while (end := buffer.find(b"\n", max(start, self._scanned))) >= 0:
            line = bytes(buffer[start:end]).strip()
            start = end + 1
            self._scanned = start
            if line:
                self._pass_on(line)
        del buffer[:start]
        self._scanned = len(buffer)

    def _pass_on(self, line: bytes) -> None:
        try:
            message = self._throttle.admitted(line)
        except ValueError:
            self._log.write(b"[not a message] " + line[:2_000] + b"\n")
            return
        if message is not None:
            self.reading.put(message)

    def _pause(self, seconds: float) -> None:
        """Read no more for a while: what floods us waits in its own pipe."""
        if self._process.stdout in self._open and not self._is_paused:
            self._is_paused = True
            self._loop.remove_reader(self._process.stdout)
            if seconds:
                self._loop.call_later(seconds, self._resume)

    def _resume(self) -> None:
        if self._is_paused and self._process.stdout in self._open:
            self._is_paused = False
            self._loop.add_reader(self._process.stdout, self._take)

    def _take_errors(self) -> None:
        try:
            part = os.read(self._process.stderr, _PART)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if part:
            self._log.write(part)
        else:
            self._let_go(self._process.stderr)

    def _let_go(self, fd: int) -> None:
        if fd in self._open:
            self._open.discard(fd)
            self._loop.remove_reader(fd)
            os.close(fd)

    def _lose(self, reason: str) -> None:
        """End the connection; what is waited for learns that it will not come."""
        self.reason = self.reason or reason
        self._let_go(self._process.stdout)
        self.reading.end()
        self.writing.end()
        self._on_lost()
        self.shortcut.end(self.reason)

    async def _watch(self) -> None:
        """Notice the end of the process, though one that it started may hold its streams open."""
        try:
            code = await self._process.child.ended()
            how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
            reason = f"it ended {how}"
        except OSError as error:
            reason = f"it could not be started: {error.strerror or error}"
        if not self.reason or self.reason == "it closed its output":
            self.reason = reason
        if self._process.stdout in self._open and not self._is_paused:
            self._drain()
        self._lose(reason)

    def _drain(self) -> None:
        """Take what was written before the end."""
        for _ in range(64):
            if self._process.stdout not in self._open:
                return
            before = len(self._buffer)
            with contextlib.suppress(BlockingIOError):
                self._take()
            if len(self._buffer) == before:
                return

    async def _shut(self) -> None:
        """Close its input, and if it does not end by itself, end it: by TERM, then for sure."""
        child = self._process.child
        self.writing.end()
        try:
            if not await self._ends_within(_GRACE_SECONDS):
                child.signal(signal.SIGTERM)
                await self._ends_within(_TERM_SECONDS)
        finally:
            child.kill()
            await self._ends_within(_KILL_SECONDS)
            self._end.cancel()
            for fd in tuple(self._open):
                self._let_go(fd)
            self.reading.end()
            self.shortcut.end(self.reason or "hermes ended the connection")
            self._log.close()
            if self._process.close is not None:
                await self._process.close()

    async def _ends_within(self, seconds: float) -> bool:
        done, _ = await asyncio.wait({self._end}, timeout=seconds)
        return bool(done)
