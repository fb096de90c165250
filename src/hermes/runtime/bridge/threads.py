"""The threads of the process that run others' work: one with an event loop, and a pool."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import os
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from hermes.base.errors import ToolError
from hermes.runtime.bridge.outcomes import contained

T = TypeVar("T")
Work = Callable[[], Any]
_IDLE_SECONDS = 30.0


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
            task = loop.create_task(contained(coroutine), context=context)
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
