"""Let work take no longer than it may: the clock of a call, and what becomes of who ignores it."""

from __future__ import annotations

import asyncio
import contextlib
import types
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

from hermes.base.errors import TimedOut
from hermes.runtime.context import ToolContext

T = TypeVar("T")
_GRACE_SECONDS = 0.5


def too_long(seconds: float | None, *, goes_on: bool) -> TimedOut:
    """Return what a call is told that took longer than its time."""
    rest = " It was asked to stop but may still be running." if goes_on else ""
    return TimedOut(
        f"the call took longer than {seconds:g} seconds.{rest}",
        hint="Ask for less at once, or check what was already done before trying again.",
    )


@types.coroutine
def patiently(
    work: Coroutine[Any, Any, T], ctx: ToolContext, seconds: float | None
) -> Generator[Any, Any, T]:
    """Drive a coroutine; the clock is armed only if it waits at all."""
    try:
        waiting_for = work.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    return (yield from rest(work, waiting_for, ctx, seconds))


def rest(
    work: Coroutine[Any, Any, T], waiting_for: Any, ctx: ToolContext, seconds: float | None
) -> Generator[Any, Any, T]:
    """Drive a coroutine that waits; one that will not be cancelled is left behind."""
    clock = _Clock(seconds)
    try:
        while True:
            try:
                sent = yield waiting_for
            except asyncio.CancelledError as cancel:
                if clock.rang > 1:
                    _leave_behind(work)
                    raise
                waiting_for = work.throw(cancel)
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:  # whatever arrives is the handler's to see
                waiting_for = work.throw(error)
            else:
                waiting_for = work.send(sent)
    except StopIteration as done:
        value: T = done.value
        return value
    except asyncio.CancelledError:
        ctx.stop()
        if clock.rang and clock.rang_alone():
            raise too_long(seconds, goes_on=clock.rang > 1) from None
        raise
    finally:
        clock.stop()


class _Clock:
    """Cancel the current task when its time is up, and once more if it goes on regardless.

    Like asyncio.timeout, but lighter, as every call that waits has one.
    """

    __slots__ = ("_cancelling", "_handle", "_loop", "_task", "rang")

    def __init__(self, seconds: float | None) -> None:
        self.rang = 0
        self._handle: asyncio.TimerHandle | None = None
        if seconds is not None:
            self._loop = asyncio.get_running_loop()
            self._task = asyncio.current_task()
            self._cancelling = self._task.cancelling() if self._task else 0
            self._handle = self._loop.call_later(seconds, self._ring)

    def _ring(self) -> None:
        self.rang += 1
        if self._task is not None:
            self._task.cancel()
        if self.rang == 1:
            self._handle = self._loop.call_later(_GRACE_SECONDS, self._ring)

    def rang_alone(self) -> bool:
        """Whether nobody but this clock has cancelled the task."""
        return self._task is None or self._task.cancelling() - self.rang <= self._cancelling

    def stop(self) -> None:
        """Stop, and take back the cancellations that this clock asked for."""
        if self._handle is not None:
            self._handle.cancel()
        for _ in range(self.rang):
            if self._task is not None:
                self._task.uncancel()


def _leave_behind(work: Coroutine[Any, Any, Any]) -> None:
    """Let a coroutine that swallows its cancellation end in its own time, or with its loop."""
    task = asyncio.ensure_future(_see_off(work))
    _LEFT_BEHIND.add(task)
    task.add_done_callback(_forget)


async def _see_off(work: Coroutine[Any, Any, Any]) -> None:
    with contextlib.suppress(StopIteration, asyncio.CancelledError, RuntimeError):
        try:
            await _to_its_end(work, work.throw(asyncio.CancelledError()))
        finally:
            work.close()


@types.coroutine
def _to_its_end(work: Coroutine[Any, Any, Any], waiting_for: Any) -> Generator[Any, Any, None]:
    with contextlib.suppress(StopIteration):
        while True:
            sent = yield waiting_for
            waiting_for = work.send(sent)


_LEFT_BEHIND: set[asyncio.Future[Any]] = set()


def _forget(task: asyncio.Future[Any]) -> None:
    _LEFT_BEHIND.discard(task)
    if not task.cancelled():
        task.exception()
