"""Sync and async meet here, and only here: one loop thread, one pool of workers, two ways to run.

The pipeline is written once, as coroutines. A caller on a running loop awaits it (`OnLoop`). A
caller in plain code steps through the same coroutines in its own thread (`Here`); whatever would
have waited blocks that thread instead, so nothing ever suspends.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import os
import threading
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, Protocol, TypeVar

from hermes.base.errors import TimedOut, ToolError
from hermes.runtime.context import ToolContext

T = TypeVar("T")
_LOOK_UP_SECONDS = 0.5
Work = Callable[[], Any]
_GRACE_SECONDS = 0.5
_IDLE_SECONDS = 30.0


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


class LoopThread:
    """One event loop in one daemon thread, started when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop."""
        with self._lock:
            if self._loop is None or not (self._thread and self._thread.is_alive()):
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="hermes-loop", daemon=True
                )
                self._thread.start()
            return self._loop

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the loop, in the caller's context, and return its future.

        Raises:
            ToolError: the caller is the loop itself, which would wait for itself forever.
        """
        loop = self.loop
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise ToolError(
                "an async tool cannot be waited for from synchronous code on hermes's own loop",
                hint="Await it instead: `await runtime.call(...)`.",
            )
        outcome: Future[T] = Future()
        context = contextvars.copy_context()

        def start() -> None:
            task = loop.create_task(_contained(coroutine), context=context)
            outcome.add_done_callback(lambda _: _cancel_with(outcome, loop, task))
            task.add_done_callback(lambda _: _copy_outcome(task, outcome))

        loop.call_soon_threadsafe(start)
        return outcome


def _cancel_with(
    outcome: Future[T], loop: asyncio.AbstractEventLoop, task: asyncio.Task[T]
) -> None:
    if outcome.cancelled():
        loop.call_soon_threadsafe(task.cancel)


def _copy_outcome(task: asyncio.Task[T], outcome: Future[T]) -> None:
    if outcome.cancelled():
        return
    if task.cancelled():
        outcome.set_exception(ToolError("the call was cancelled", code="cancelled"))
    elif error := task.exception():
        outcome.set_exception(error)
    else:
        outcome.set_result(task.result())


class Job:
    """One function in a worker thread; abandoning it frees its place in the pool."""

    __slots__ = ("abandoned", "context", "deliver", "work")

    def __init__(self, work: Work, deliver: Callable[[Any, BaseException | None], None]) -> None:
        self.work = work
        self.deliver = deliver
        self.context = contextvars.copy_context()
        self.abandoned = False

    def run(self) -> None:
        """Do the work and deliver what came of it."""
        try:
            value = self.context.run(self.work)
        except BaseException as error:  # a handler may raise anything; it is delivered
            self.deliver(None, error)
        else:
            self.deliver(value, None)


class Workers:
    """Daemon threads for blocking handlers; a hung one fills no place and holds up no exit."""

    def __init__(self) -> None:
        self._limit = 1
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0
        self._waiting = 0
        self._here = threading.local()

    def submit(self, job: Job) -> None:
        """Give a job to an idle thread, to a new one, or to the next that gets free."""
        with self._lock:
            self._waiting += 1
            self._grow()
        self._jobs.put(job)

    def widen(self, limit: int) -> None:
        """Allow at least this many threads."""
        with self._lock:
            self._limit = max(self._limit, limit)

    @contextlib.contextmanager
    def lending(self) -> Iterator[None]:
        """Let another thread take this one's place while it waits for others' work.

        Without that, workers that wait for workers would stand still together.
        """
        if not getattr(self._here, "is_worker", False):
            yield
            return
        with self._lock:
            self._limit += 1
            self._grow()
        try:
            yield
        finally:
            with self._lock:
                self._limit -= 1

    def abandon(self, job: Job) -> None:
        """Stop counting on a job: another thread may take its place."""
        with self._lock:
            if not job.abandoned:
                job.abandoned = True
                self._limit += 1
                self._grow()

    def _grow(self) -> None:
        if self._waiting > self._idle and self._threads < self._limit:
            self._threads += 1
            threading.Thread(target=self._work, name="hermes-worker", daemon=True).start()

    def _work(self) -> None:
        self._here.is_worker = True
        while True:
            with self._lock:
                self._idle += 1
            try:
                job = self._jobs.get(timeout=_IDLE_SECONDS)
            except Empty:
                if self._retire():
                    return
                continue
            with self._lock:
                self._idle -= 1
                self._waiting -= 1
            if not job.abandoned:
                job.run()
            with self._lock:
                if job.abandoned:
                    self._limit -= 1
                if self._threads > self._limit:
                    self._threads -= 1
                    return

    def _retire(self) -> bool:
        with self._lock:
            self._idle -= 1
            if self._waiting:
                return False
            self._threads -= 1
            return True


@functools.cache
def _of_process(_pid: int) -> tuple[LoopThread, Workers]:
    return LoopThread(), Workers()


def loop_thread() -> LoopThread:
    """Return the process's one loop thread; a forked child gets its own."""
    return _of_process(os.getpid())[0]


def workers() -> Workers:
    """Return the process's one pool of workers."""
    return _of_process(os.getpid())[1]


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
        job = Job(work, functools.partial(_deliver, loop, done))
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
            raise _too_long(seconds, goes_on=True) from None
        except asyncio.CancelledError:
            ctx.stop()
            pool.abandon(job)
            raise

    def run_async(
        self, work: Coroutine[Any, Any, T], ctx: ToolContext, seconds: float | None
    ) -> Awaitable[T]:
        """Run a coroutine on this loop; the clock is armed only if it waits at all."""
        return _patiently(work, ctx, seconds)

    def begin(
        self, work: Coroutine[Any, Any, T], ctx: ToolContext, seconds: float | None
    ) -> T | Waiting:
        """Take a coroutine's first step here and now; most need no second one."""
        try:
            waiting_for = work.send(None)
        except StopIteration as done:
            value: T = done.value
            return value
        return Waiting(_rest(work, waiting_for, ctx, seconds))


async def in_thread(work: Callable[[], T]) -> T:
    """Run a blocking function in a worker thread while the loop goes on."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    workers().submit(Job(work, functools.partial(_deliver, loop, done)))
    return await done


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
        job = Job(work, functools.partial(_fulfil, done))
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
            raise _too_long(seconds, goes_on=True) from None

    async def run_async(
        self, work: Coroutine[Any, Any, T], ctx: ToolContext, seconds: float | None
    ) -> T:
        """Run a coroutine on the loop thread and wait for it here."""
        future = loop_thread().submit(_awaited(_patiently(work, ctx, seconds)))
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


async def _contained(coroutine: Coroutine[Any, Any, T]) -> T:
    """Keep an exit to itself: out of a task it would end the loop that all calls share."""
    try:
        return await coroutine
    except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        raise _raisable(error) from error


def _deliver(
    loop: asyncio.AbstractEventLoop,
    done: asyncio.Future[Any],
    value: Any,
    error: BaseException | None,
) -> None:
    def set_it() -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(_raisable(error))
        else:
            done.set_result(value)

    with contextlib.suppress(RuntimeError):  # the loop is gone, and with it whoever waited
        loop.call_soon_threadsafe(set_it)


def _fulfil(done: Future[Any], value: Any, error: BaseException | None) -> None:
    if error is not None:
        done.set_exception(_raisable(error))
    else:
        done.set_result(value)


class HandlerExit(Exception):
    """A handler tried to end the process, or raised what no caller may see raised."""


def _raisable(error: BaseException) -> BaseException:
    """Return an error that a future can carry: StopIteration and exits would disturb the waiter."""
    return (
        error
        if isinstance(error, Exception) and not isinstance(error, StopIteration)
        else HandlerExit(f"{type(error).__name__}: {error}")
    )


def _too_long(seconds: float | None, *, goes_on: bool) -> TimedOut:
    rest = " It was asked to stop but may still be running." if goes_on else ""
    return TimedOut(
        f"the call took longer than {seconds:g} seconds.{rest}",
        hint="Ask for less at once, or check what was already done before trying again.",
    )


@types.coroutine
def _patiently(
    work: Coroutine[Any, Any, T], ctx: ToolContext, seconds: float | None
) -> Generator[Any, Any, T]:
    """Drive a coroutine; the clock is armed only if it waits at all."""
    try:
        waiting_for = work.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    return (yield from _rest(work, waiting_for, ctx, seconds))


def _rest(
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
            raise _too_long(seconds, goes_on=clock.rang > 1) from None
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


async def aside(work: Work) -> Any:
    """Run a blocking function in a worker thread while the running loop goes on."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    workers().submit(Job(work, functools.partial(_deliver, loop, done)))
    return await done


async def on_own_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the process's own loop, from whatever loop the caller is on."""
    home = loop_thread()
    if asyncio.get_running_loop() is home.loop:
        return await coroutine
    return await asyncio.wrap_future(home.submit(coroutine))
