"""Sync and async meet here, and only here: one loop thread, one pool of workers, two ways to run.

The pipeline is written once, as coroutines. A caller on a running loop awaits it (`OnLoop`). A
caller in plain code steps through the same coroutines in its own thread (`Here`); whatever would
have waited blocks that thread instead, so nothing ever suspends.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

from hermes.runtime.bridge.deadlines import patiently, rest, too_long
from hermes.runtime.bridge.outcomes import HandlerExit, deliver, fulfil
from hermes.runtime.bridge.threads import Job, LoopThread, Work, Workers, loop_thread, workers
from hermes.runtime.context import ToolContext

__all__ = [
    "HERE",
    "ON_LOOP",
    "HandlerExit",
    "Here",
    "Job",
    "LoopThread",
    "OnLoop",
    "Waiting",
    "Way",
    "Workers",
    "aside",
    "gives_up",
    "loop_thread",
    "on_own_loop",
    "step_through",
    "workers",
]

T = TypeVar("T")
_LOOK_UP_SECONDS = 0.5


class Waiting:
    """Work that has begun and has to be waited for."""

    __slots__ = ("_rest",)

    def __init__(self, rest: Awaitable[Any] | Generator[Any, Any, Any]) -> None:
        self._rest = rest

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._rest if isinstance(self._rest, Generator) else self._rest.__await__()


class Way(Protocol):
    """How a call waits: on its loop, or in its thread."""

    is_inline: bool

    async def settle(self, future: Future[T]) -> T:
        """Wait for a future of another thread."""

    async def value(self, awaitable: Awaitable[T]) -> T:
        """Wait for an awaitable."""

    async def run_sync(self, work: Work, ctx: ToolContext, seconds: float | None) -> Any:
        """Run a blocking function, at most that long."""

    def run_async(
        self, work: Coroutine[Any, Any, T], ctx: ToolContext, seconds: float | None
    ) -> Awaitable[T]:
        """Run a coroutine, at most that long."""

    def begin(
        self, work: Coroutine[Any, Any, T], ctx: ToolContext, seconds: float | None
    ) -> T | Waiting:
        """Start a coroutine and return its value at once, or what to wait for."""


def gives_up(error: BaseException) -> bool:
    """Whether the caller itself wants out, so that the error must travel on.

    What else a handler, hook or judge raises, an exit or a stray cancellation of its own among it,
    is theirs and gets an answer.
    """
    if isinstance(error, asyncio.CancelledError):
        try:
            task = asyncio.current_task()
        except RuntimeError:
            return False
        return task is not None and task.cancelling() > 0
    if isinstance(error, KeyboardInterrupt):
        return threading.current_thread() is threading.main_thread()
    return isinstance(error, GeneratorExit)


def step_through(awaitable: Awaitable[T]) -> T:
    """Run what never suspends, because it waits by blocking, in this thread; return its value."""
    steps = awaitable.__await__()
    try:
        next(steps)
    except StopIteration as done:
        value: T = done.value
        return value
    raise RuntimeError("a call on the synchronous way tried to suspend")


class OnLoop:
    """Wait by awaiting; the loop goes on meanwhile."""

    is_inline = False

    async def settle(self, future: Future[T]) -> T:
        """Wait for a future of another thread."""
        return await asyncio.wrap_future(future)

    async def value(self, awaitable: Awaitable[T]) -> T:
        """Wait for an awaitable."""
        return await awaitable

    async def run_sync(self, work: Work, ctx: ToolContext, seconds: float | None) -> Any:
        """Run a blocking function in a worker thread."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()
        job = Job(work, functools.partial(deliver, loop, done))
        pool = workers()
        pool.submit(job)
        try:
            async with asyncio.timeout(seconds):
                return await done
        except TimeoutError:
            if done.done() and not done.cancelled():
                return done.result()
            ctx.stop()
            pool.abandon(job)
            raise too_long(seconds, goes_on=True) from None
        except asyncio.CancelledError:
            ctx.stop()
            pool.abandon(job)
            raise

    def run_async(
        self, work: Coroutine[Any, Any, T], ctx: ToolContext, seconds: float | None
    ) -> Awaitable[T]:
        """Run a coroutine on this loop; the clock is armed only if it waits at all."""
        return patiently(work, ctx, seconds)

    def begin(
        self, work: Coroutine[Any, Any, T], ctx: ToolContext, seconds: float | None
    ) -> T | Waiting:
        """Take a coroutine's first step here and now; most need no second one."""
        try:
            waiting_for = work.send(None)
        except StopIteration as done:
            value: T = done.value
            return value
        return Waiting(rest(work, waiting_for, ctx, seconds))


def _waited(future: Future[T]) -> T:
    """Return a future's result.

    A signal that comes in just before a thread blocks does not wake it, so the wait looks up now
    and then: otherwise such an interrupt would be lost.
    """
    while not future.done():
        with contextlib.suppress(TimeoutError):
            future.exception(timeout=_LOOK_UP_SECONDS)
    return future.result()


class Here:
    """Wait by blocking the caller's own thread."""

    is_inline = True

    async def settle(self, future: Future[T]) -> T:
        """Wait for a future of another thread."""
        with workers().lending():
            return _waited(future)

    async def value(self, awaitable: Awaitable[T]) -> T:
        """Wait for an awaitable on the loop thread."""
        future = loop_thread().submit(_awaited(awaitable))
        try:
            return await self.settle(future)
        except BaseException:
            future.cancel()
            raise

    async def run_sync(self, work: Work, ctx: ToolContext, seconds: float | None) -> Any:
        """Run a function in this thread, or in a worker when its time is limited."""
        if seconds is None:
            return work()
        done: Future[Any] = Future()
        job = Job(work, functools.partial(fulfil, done))
        pool = workers()
        pool.submit(job)
        try:
            with pool.lending():
                return done.result(seconds)
        except TimeoutError:
            if done.done():
                raise
            ctx.stop()
            pool.abandon(job)
            raise too_long(seconds, goes_on=True) from None

    async def run_async(
        self, work: Coroutine[Any, Any, T], ctx: ToolContext, seconds: float | None
    ) -> T:
        """Run a coroutine on the loop thread and wait for it here."""
        future = loop_thread().submit(_awaited(patiently(work, ctx, seconds)))
        try:
            return await self.settle(future)
        except BaseException:
            future.cancel()
            raise

    def begin(
        self, work: Coroutine[Any, Any, T], ctx: ToolContext, seconds: float | None
    ) -> T | Waiting:
        """Have a coroutine started when it is waited for."""
        return Waiting(self.run_async(work, ctx, seconds))


HERE, ON_LOOP = Here(), OnLoop()


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable


async def aside(work: Callable[[], T]) -> T:
    """Run a blocking function in a worker thread while the running loop goes on."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    workers().submit(Job(work, functools.partial(deliver, loop, done)))
    return await done


async def on_own_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the process's own loop, from whatever loop the caller is on."""
    home = loop_thread()
    if asyncio.get_running_loop() is home.loop:
        return await coroutine
    return await asyncio.wrap_future(home.submit(coroutine))
