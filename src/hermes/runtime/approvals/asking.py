"""Questions are put one at a time, first come, first served; identical ones are put once."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns:
    """A lock that callers on different event loops queue for in order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Future[None]] = deque()
        self._is_taken = False

    async def __aenter__(self) -> None:
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return
            mine: Future[None] = Future()
            self._waiting.append(mine)
        try:
            await asyncio.wrap_future(mine)
        except BaseException:  # whoever gives up must not keep a turn that was just handed over
            if not mine.cancel():
                self._pass_on()
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pass_on()

    def _pass_on(self) -> None:
        with self._lock:
            while self._waiting:
                following = self._waiting.popleft()
                if following.set_running_or_notify_cancel():
                    following.set_result(None)
                    return
            self._is_taken = False


class Questions(Generic[T]):
    """Put questions in turn; who asks what is being asked already shares its answer."""

    def __init__(self) -> None:
        self.turns = Turns()
        """Whoever asks something else takes a turn too."""
        self._lock = threading.Lock()
        self._open: dict[str, list[Future[T | None]]] = {}

    async def ask(self, key: str, put: Callable[[], Awaitable[T]]) -> T:
        """Return the answer to a question; ``put`` puts it when its turn has come."""
        while True:
            mine: Future[T | None] | None = None
            with self._lock:
                others = self._open.get(key)
                if others is None:
                    self._open[key] = []
                else:
                    mine = Future()
                    others.append(mine)
            if mine is None:
                return await self._put(key, put)
            answer = await asyncio.wrap_future(mine)
            if answer is not None:
                return answer

    async def _put(self, key: str, put: Callable[[], Awaitable[T]]) -> T:
        """Put a question and share its answer; one that is dropped leaves it to the next."""
        answer: T | None = None
        try:
            async with self.turns:
                answer = await put()
            return answer
        finally:
            with self._lock:
                sharing = self._open.pop(key)
            for waiting in sharing:
                if waiting.set_running_or_notify_cancel():
                    waiting.set_result(answer)
