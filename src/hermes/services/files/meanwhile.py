"""Wait for the disk in other threads while something else is done."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")
_MOST_THREADS = 8


class _Threads:
    """The threads of a process that do little else than wait for the disk."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_MOST_THREADS, "hermes-disk")
        self._later = ThreadPoolExecutor(_MOST_THREADS, "hermes-disk-later")
        """Apart from the others, who may wait for these."""
        self._left: set[Future[object]] = set()

    def begin(self, work: Callable[[], T]) -> Future[T]:
        """Have work begun."""
        return _submitted(self._pool, work)

    def leave(self, work: Callable[[], object]) -> None:
        """Have work done that nobody waits for now."""
        done = _submitted(self._later, work)
        self._left.add(done)
        done.add_done_callback(self._left.discard)

    def catch_up(self) -> None:
        """Wait for all that was left."""
        if self._left:
            wait(list(self._left))


def _submitted(pool: ThreadPoolExecutor, work: Callable[[], T]) -> Future[T]:
    try:
        return pool.submit(work)
    except RuntimeError:  # the interpreter is ending: it is done here and now
        done: Future[T] = Future()
        done.set_result(work())
        return done


@functools.cache
def _threads(_pid: int) -> _Threads:
    return _Threads()


def begun(work: Callable[[], T]) -> Future[T]:
    """Have work begun whose outcome is wanted only later; it must not wait for other such work."""
    return _threads(os.getpid()).begin(work)


def later(work: Callable[[], object]) -> None:
    """Have work done that nobody waits for now; `caught_up` does, and the end of the process."""
    _threads(os.getpid()).leave(work)


def caught_up() -> None:
    """Wait until all that was left for later is done."""
    _threads(os.getpid()).catch_up()
