"""An event loop on a thread of its own, for a library whose objects belong to one loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
_LEAVE_SECONDS = 5.0


class SideLoop:
    """The loop; whoever made it closes it."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._turn, name=name, daemon=True)
        self._thread.start()

    def _turn(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Have something done there."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def close(self) -> None:
        """Cancel what is left there and end the thread."""
        self.submit(self._cancel_all()).result(_LEAVE_SECONDS)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(_LEAVE_SECONDS)
        if not self._thread.is_alive():
            self.loop.close()

    async def _cancel_all(self) -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=_LEAVE_SECONDS / 2) if left else None
        await self.loop.shutdown_asyncgens()
        await self.loop.shutdown_default_executor()
