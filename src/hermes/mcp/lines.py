"""Messages as lines: read and written without a task between the pipe and whoever waits."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
import msgspec
from mcp.shared.message import SessionMessage

_LOG = "notifications/message"
_MOST_WAITING = 256
_NOTICES_AT_ONCE = 500
_NOTICES_PER_SECOND = 200.0


class Line(msgspec.Struct):
    """Any message of JSON-RPC."""

    jsonrpc: str
    id: int | str | msgspec.UnsetType | None = msgspec.UNSET
    method: str | msgspec.UnsetType = msgspec.UNSET
    params: Any = msgspec.UNSET
    result: Any = msgspec.UNSET
    error: Any = msgspec.UNSET


_decode = msgspec.json.Decoder(Line).decode
_encode = msgspec.json.Encoder().encode


class Throttle:
    """Read lines as messages; of notifications only as many as anybody can follow."""

    def __init__(
        self,
        takes: Callable[[Line], bool] = lambda _: False,
        logs: Callable[[Mapping[str, Any]], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._takes, self._logs = takes, logs
        self._clock = clock
        self._left = float(_NOTICES_AT_ONCE)
        self._then = clock()
        self.dropped = 0
        self.missed_changes: set[str] = set()
        """Notifications that lists changed, among those that were dropped."""

    def admitted(self, line: bytes) -> SessionMessage | None:
        """Return the message of a line; None for one that others took, or a notification too many.

        Raises:
            ValueError: the line is no message.
        """
        try:
            told = _decode(line)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise ValueError(str(error)) from error
        if self._takes(told):
            return None
        if isinstance(told.result, dict) and told.id is not None and told.id is not msgspec.UNSET:
            return SessionMessage(
                types.JSONRPCResponse.model_construct(jsonrpc="2.0", id=told.id, result=told.result)
            )
        is_notice = isinstance(told.method, str) and told.id is msgspec.UNSET
        if is_notice and not self._has_room():
            self.dropped += 1
            if str(told.method).endswith("list_changed"):
                self.missed_changes.add(str(told.method))
            return None
        if is_notice and self._logs is not None and told.method == _LOG:
            self._logs(told.params if isinstance(told.params, dict) else {})
            return None  # told at once, and so before the answer that follows it
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))

    def _has_room(self) -> bool:
        now = self._clock()
        self._left = min(_NOTICES_AT_ONCE, self._left + (now - self._then) * _NOTICES_PER_SECOND)
        self._then = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Reading:
    """Messages that have come in, in order; ends when the connection does."""

    def __init__(self, resume: Callable[[], None]) -> None:
        self._waiting: deque[SessionMessage] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._is_over = False
        self._resume = resume

    @property
    def is_full(self) -> bool:
        """Whether more has come in than was taken out lately."""
        return len(self._waiting) >= _MOST_WAITING

    def put(self, message: SessionMessage) -> None:
        """Add a message."""
        self._waiting.append(message)
        self._wake()

    def end(self) -> None:
        """Say that nothing more comes."""
        self._is_over = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message."""
        while not self._waiting:
            if self._is_over:
                raise anyio.EndOfStream
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        message = self._waiting.popleft()
        if len(self._waiting) < _MOST_WAITING // 2:
            self._resume()
        return message

    async def aclose(self) -> None:
        """Take no more."""
        self.end()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class Writing:
    """A pipe that takes messages, one line each and never mixed."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._left: deque[memoryview] = deque()
        self._drained: asyncio.Future[None] | None = None
        self._lock = threading.Lock()
        self.meta: Mapping[str, Any] = {}
        """What the SDK sent along with its last request for tools, as its era wants it."""

    def put(self, line: bytes, home: asyncio.AbstractEventLoop) -> None:
        """Write a line at once, from any thread; what does not fit is written by the loop.

        Whoever reads learns of a pipe that is closed; then the line is dropped.
        """
        with self._lock:
            if self._fd < 0:
                return
            left = memoryview(line)
            if not self._left:
                with contextlib.suppress(OSError):  # full, or broken, which the loop finds out
                    left = left[os.write(self._fd, left) :]
                if not left:
                    return
            self._left.append(left)
        home.call_soon_threadsafe(self._flush)

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message, as far as the other side reads."""
        if self._fd < 0:
            raise anyio.ClosedResourceError
        message = item.message
        if isinstance(message, types.JSONRPCRequest) and message.method == "tools/list":
            self.meta = (message.params or {}).get("_meta") or {}
        with self._lock:
            self._left.append(memoryview(_as_line(message)))
        if self._drained is None:
            self._flush()
        while self._drained is not None:
            await asyncio.shield(self._drained)
        if self._fd < 0 and self._left:
            raise anyio.BrokenResourceError

    def _flush(self) -> None:
        """Write what there is room for; the rest when there is more."""
        try:
            with self._lock:
                while self._left and self._fd >= 0:
                    self._left[0] = self._left[0][os.write(self._fd, self._left[0]) :]
                    if not self._left[0]:
                        self._left.popleft()
        except BlockingIOError:
            if self._drained is None:
                loop = asyncio.get_running_loop()
                self._drained = loop.create_future()
                loop.add_writer(self._fd, self._flush)
            return
        except OSError:
            self.end()
            return
        self._settle()

    def _settle(self) -> None:
        drained, self._drained = self._drained, None
        if drained is not None:
            if self._fd >= 0:
                asyncio.get_running_loop().remove_writer(self._fd)
            drained.set_result(None)

    def end(self) -> None:
        """Tell the other side that nothing more comes."""
        with self._lock:
            fd, self._fd = self._fd, -1
        if fd < 0:
            return
        if self._drained is not None:
            asyncio.get_running_loop().remove_writer(fd)
        os.close(fd)
        self._settle()

    async def aclose(self) -> None:
        """Write no more; whoever holds the process closes its input."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _as_line(message: Any) -> bytes:
    kind = type(message)
    if kind is types.JSONRPCRequest or kind is types.JSONRPCNotification:
        told = {"jsonrpc": "2.0", "method": message.method}
        if kind is types.JSONRPCRequest:
            told["id"] = message.id
        if message.params is not None:
            told["params"] = message.params
        return _encode(told) + b"\n"
    text: str = message.model_dump_json(by_alias=True, exclude_unset=True)
    return text.encode() + b"\n"
