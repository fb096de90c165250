"""Wait for the disk in other threads while something else is done."""

from __future__ import annotations

import atexit
import functools
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_MOST_THREADS = 8


class Begun(Generic[T]):
    """Work that another thread does, and what will come of it.

    The futures of the standard library can do more, and cost several times as much.
    """

    __slots__ = ("_error", "_running", "_value", "_work")

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._value: T
        self._error: BaseException | None = None
        self._running = threading.Lock()
        self._running.acquire()

    def run(self) -> None:
        """Do it, in whichever thread this is."""
        try:
            self._value = self._work()
        except BaseException as error:  # it is raised where the outcome is asked for
            self._error = error
        del self._work  # what it holds, often whole files, is let go of at once
        self._running.release()

    def wait(self) -> None:
        """Wait until it is done, well or not."""
        with self._running:
            pass

    def result(self) -> T:
        """Wait for it, and return its value or raise its error."""
        self.wait()
        if self._error is not None:
            raise self._error
        return self._value


class _Threads:
    """A few threads that do little else than wait for the disk."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: SimpleQueue[Begun[Any]] = SimpleQueue()
        self._lock = threading.Lock()
        self._count = self._free = 0

    def submit(self, work: Begun[Any]) -> None:
        """Give work to a thread that is free, to a new one, or to the next that gets free."""
        with self._lock:
            self._free -= 1
            if self._free < 0 and self._count < _MOST_THREADS and not self._started():
                self._free += 1
                if not self._count:  # the interpreter is ending: it is done here and now
                    work.run()
                    return
        self._work.put(work)

    def _started(self) -> bool:
        try:
            threading.Thread(target=self._run, name=self._name, daemon=True).start()
        except RuntimeError:
            return False
        self._count += 1
        self._free += 1
        return True

    def _run(self) -> None:
        while True:
            self._work.get().run()
            with self._lock:
                self._free += 1


class _Disk:
    """All threads of a process that wait for the disk."""

    def __init__(self) -> None:
        self._now, self._later = _Threads("hermes-disk"), _Threads("hermes-disk-later")
        """Those for later are apart, as the others may wait for them."""
        self._left: set[Begun[None]] = set()

    def begin(self, work: Callable[[], T]) -> Begun[T]:
        """Have work begun."""
        begun = Begun(work)
        self._now.submit(begun)
        return begun

    def leave(self, work: Callable[[], object]) -> None:
        """Have work done that nobody waits for now."""

        def finish() -> None:
            try:
                work()
            finally:
                self._left.discard(left)

        left = Begun(finish)
        self._left.add(left)
        self._later.submit(left)

    def catch_up(self) -> None:
        """Wait for all that was left."""
        for left in self._left.copy():
            left.wait()


@functools.cache
def _disk(_pid: int) -> _Disk:
    atexit.register(caught_up)
    return _Disk()


def begun(work: Callable[[], T]) -> Begun[T]:
    """Have work begun whose outcome is wanted only later; it must not wait for other such work."""
    return _disk(os.getpid()).begin(work)


def later(work: Callable[[], object]) -> None:
    """Have work done that nobody waits for now; `caught_up` does, and the end of the process."""
    _disk(os.getpid()).leave(work)


def caught_up() -> None:
    """Wait until all that was left for later is done."""
    _disk(os.getpid()).catch_up()
