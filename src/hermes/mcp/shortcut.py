"""Requests straight onto the pipe of a process, from any thread, and their answers straight back.

The SDK speaks to servers in one task and models each message; a tool's call needs neither. What it
sends along with a request of its era is taken from a request that the SDK made.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hermes.mcp.faults import Answered, Lost

if TYPE_CHECKING:
    from hermes.mcp.lines import Line, Writing

FIRST = 1_000_000_000
"""The first id of these requests; the SDK counts from 1, and some servers know numbers alone."""
Told = Callable[[float, float | None, str | None], object]
_PROGRESS = "notifications/progress"
_OF_ONE_REQUEST = frozenset({"progressToken", "traceparent", "tracestate", "baggage"})
_encode = msgspec.json.Encoder().encode


class _Waiting(NamedTuple):
    """A request that was sent, and whoever waits for its answer."""

    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Any]
    told: Told | None


class Shortcut:
    """Send requests beside the SDK; answers come to whichever loop asked."""

    def __init__(self, writing: Writing, home: asyncio.AbstractEventLoop) -> None:
        self._writing = writing
        self._home = home
        self._pending: dict[int, _Waiting] = {}
        self._ids = itertools.count(FIRST)
        self._reason: str | None = None

    async def ask(self, method: str, params: Mapping[str, Any], told: Told | None = None) -> Any:
        """Send a request and return its result; being cancelled cancels it there, too.

        Raises:
            Answered: the server answered with an error.
            Lost: there will be no answer.
        """
        loop = asyncio.get_running_loop()
        name = next(self._ids)
        waiting = _Waiting(loop, loop.create_future(), told)
        self._pending[name] = waiting
        if self._reason is not None:  # looked at after it is in the table, which is then emptied
            self._pending.pop(name, None)
            raise Lost(self._reason)
        meta = {k: v for k, v in self._writing.meta.items() if k not in _OF_ONE_REQUEST}
        if told is not None:
            meta["progressToken"] = name
        sent = {**params, "_meta": meta} if meta else params
        self._send({"jsonrpc": "2.0", "id": name, "method": method, "params": sent})
        try:
            return await waiting.answer
        except asyncio.CancelledError:
            if self._pending.pop(name, None) is not None:
                why = {"requestId": name, "reason": "the caller gave up"}
                notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": why}
                self._send(notice)
            raise

    def take(self, told: Line) -> bool:
        """Take a message if it belongs to a request of ours; say whether it did."""
        if told.method == _PROGRESS and isinstance(told.params, dict):
            return self._take_progress(told.params)
        if isinstance(told.method, str) or (name := _ours(told.id)) is None:
            return False
        waiting = self._pending.pop(name, None)
        if waiting is not None:
            if isinstance(told.result, dict):
                self._settle(waiting, told.result, None)
            else:
                self._settle(waiting, None, _error(told.error))
        return True

    def end(self, reason: str) -> None:
        """Tell all who wait that there will be no answer."""
        self._reason = reason
        while self._pending:
            _, waiting = self._pending.popitem()
            self._settle(waiting, None, Lost(reason))

    def _take_progress(self, params: dict[str, Any]) -> bool:
        token, progress = _ours(params.get("progressToken")), params.get("progress")
        if token is None:
            return False
        waiting = self._pending.get(token)
        if waiting is not None and waiting.told is not None and isinstance(progress, int | float):
            total, message = params.get("total"), params.get("message")
            waiting.told(
                float(progress),
                float(total) if isinstance(total, int | float) else None,
                message if isinstance(message, str) else None,
            )
        return True

    def _send(self, message: Mapping[str, Any]) -> None:
        self._writing.put(_encode(message) + b"\n", self._home)

    def _settle(self, waiting: _Waiting, value: Any, error: Exception | None) -> None:
        if waiting.loop is self._home:
            _set(waiting.answer, value, error)
        elif not waiting.loop.is_closed():
            waiting.loop.call_soon_threadsafe(_set, waiting.answer, value, error)


def _ours(given: Any) -> int | None:
    """Return the id of a request of ours; some servers give numbers back as texts."""
    if isinstance(given, str) and given.isdecimal() and len(given) <= len(str(FIRST)):
        given = int(given)
    return given if type(given) is int and given >= FIRST else None


def _set(answer: asyncio.Future[Any], value: Any, error: Exception | None) -> None:
    if answer.done():
        return
    if error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(value)


def _error(said: Any) -> Answered:
    told = said if isinstance(said, dict) else {}
    code = told.get("code")
    message = str(told.get("message") or "it answered with neither a result nor an error")
    return Answered(code if isinstance(code, int) else -32603, message, told.get("data"))
