"""Keep an interpreter ready for the next script of a task: starting one is what takes long."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Future
from typing import Any

from hermes.services.scripting.lines import Line

Submit = Callable[[Coroutine[Any, Any, Any]], Future[Any]]
_CLOSE_SECONDS = 10.0


class Spares:
    """At most one for each task, in a box of its own that nothing has run in; never used twice."""

    def __init__(self, submit: Submit, idle_seconds: float) -> None:
        self._submit, self._idle_seconds = submit, idle_seconds
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[Hashable, Line, threading.Timer]] = {}
        self._coming: dict[str, Future[Any]] = {}
        self._is_closed = False

    def take(self, task_id: str, key: Hashable) -> Line | None:
        """Return the one of a task, if it is still as a new one would be."""
        with self._lock:
            found = self._kept.pop(task_id, None)
        if found is None:
            return None
        kept_for, line, timer = found
        timer.cancel()
        if kept_for == key:
            return line
        self._end(line)
        return None

    def prepare(
        self, task_id: str, key: Hashable, make: Callable[[], Coroutine[Any, Any, Line]]
    ) -> None:
        """Make one ready, unless there is one."""
        with self._lock:
            if self._is_closed or task_id in self._kept or task_id in self._coming:
                return
            self._coming[task_id] = Future()
        self._coming[task_id] = self._submit(self._make(task_id, key, make))

    async def _make(
        self, task_id: str, key: Hashable, make: Callable[[], Coroutine[Any, Any, Line]]
    ) -> None:
        try:
            line = await make()
        finally:
            with self._lock:
                is_wanted = self._coming.pop(task_id, None) is not None and not self._is_closed
        if not is_wanted:
            await _ended(line)
            return
        timer = threading.Timer(self._idle_seconds, self.drop, (task_id,))
        timer.daemon = True
        with self._lock:
            self._kept[task_id] = (key, line, timer)
        timer.start()

    def drop(self, task_id: str) -> None:
        """End the one of a task."""
        with self._lock:
            self._coming.pop(task_id, None)
            found = self._kept.pop(task_id, None)
        if found is not None:
            found[2].cancel()
            self._end(found[1])

    def _end(self, line: Line) -> Future[Any]:
        return self._submit(_ended(line))

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            self._is_closed = True
            coming, self._coming = list(self._coming.values()), {}
            kept, self._kept = list(self._kept.values()), {}
        for _, _, timer in kept:
            timer.cancel()
        for each in [*coming, *(self._end(line) for _, line, _ in kept)]:
            if not each.done():
                each.exception(timeout=_CLOSE_SECONDS)


async def _ended(line: Line) -> None:
    line.hang_up()
    await line.process.close()
