"""Notice tasks that have done nothing for a while, so that their environments can rest."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from types import TracebackType
from typing import Any, NamedTuple

Rest = Callable[[str], Awaitable[bool]]
"""Lets the environment of a task rest; says no when something still runs there."""
Begin = Callable[[Coroutine[Any, Any, None]], Future[None]]
"""Starts a coroutine on a loop that lasts, from any thread."""


class Idle:
    """Count who uses the environment of each task; one that nobody used for so long rests.

    Whoever comes while it rests waits until it has. With 0 seconds nothing ever does.
    """

    def __init__(self, seconds: float, rest: Rest, begin: Begin) -> None:
        self._seconds, self._rest, self._begin = seconds, rest, begin
        self._lock = threading.Lock()
        self._users: dict[str, int] = {}
        self._due: dict[str, float] = {}
        self._resting: dict[str, Future[None]] = {}
        self._watching: Future[None] | None = None

    def using(self, task_id: str) -> Use:
        """Return what keeps the environment of a task awake: ``async with``."""
        return Use(self, task_id)

    async def enter(self, task_id: str) -> None:
        """Count a user, once the environment does not rest just now."""
        while True:
            with self._lock:
                resting = self._resting.get(task_id)
                if resting is None:
                    self._users[task_id] = self._users.get(task_id, 0) + 1
                    return
            await asyncio.shield(asyncio.wrap_future(resting))

    def leave(self, task_id: str) -> None:
        """Count a user less; the last one starts the clock."""
        with self._lock:
            left = self._users.pop(task_id, 1) - 1
            if left:
                self._users[task_id] = left
            elif self._seconds:
                self._expect(task_id)

    def _expect(self, task_id: str) -> None:
        self._due[task_id] = time.monotonic() + self._seconds
        if self._watching is None:
            self._watching = self._begin(self._watch())

    async def _watch(self) -> None:
        """Sleep until the next is due; what is expected later is due later."""
        while (wait := self._wait()) is not None:
            await asyncio.sleep(max(0.0, wait))
            for task_id in self._claim():
                await self._let_rest(task_id)

    def _wait(self) -> float | None:
        with self._lock:
            if not self._due:
                self._watching = None
                return None
            return min(self._due.values()) - time.monotonic()

    def _claim(self) -> list[str]:
        """Return the tasks whose environments are to rest now, and keep others away from them."""
        now = time.monotonic()
        with self._lock:
            ready = [task_id for task_id, at in self._due.items() if at <= now]
            for task_id in ready:
                del self._due[task_id]
            free = [task_id for task_id in ready if task_id not in self._users]
            self._resting.update({task_id: Future() for task_id in free})
            return free

    async def _let_rest(self, task_id: str) -> None:
        rests = True
        try:
            rests = await self._rest(task_id)
        finally:
            with self._lock:
                self._resting.pop(task_id).set_result(None)
                if not rests:
                    self._expect(task_id)

    def stop(self) -> None:
        """Let nothing rest any more."""
        with self._lock:
            self._due.clear()
            if self._watching is not None:
                self._watching.cancel()


class Use(NamedTuple):
    """Somebody who uses the environment of a task."""

    idle: Idle
    task_id: str

    async def __aenter__(self) -> None:
        await self.idle.enter(self.task_id)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.idle.leave(self.task_id)
