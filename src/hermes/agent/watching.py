"""Bring what happens inside a runtime to the agent that it concerns, and to no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hermes.agent.events import Asked, CallProgress, Event
from hermes.runtime.approvals import ApprovalRequest
from hermes.runtime.context import Progress, Services, ToolContext

Emit = Callable[[Event], None]


class Watchers:
    """Hand on progress and approvals by task; one for all agents of a runtime."""

    def __init__(self, before: Progress | None) -> None:
        self._before = before
        self._listening: dict[str, tuple[asyncio.AbstractEventLoop, Emit]] = {}

    @classmethod
    def of(cls, services: Services, gate: Any) -> Watchers:
        """Return the watchers of a runtime, set up when an agent is the first there."""
        known = services.on_progress
        watchers = known if isinstance(known, cls) else cls(known)
        services.on_progress = watchers
        gate.approvals.on_asked = watchers.asked
        return watchers

    def follow(self, task_id: str, emit: Emit) -> None:
        """Tell an agent, on its loop, what happens in its task."""
        self._listening[task_id] = (asyncio.get_running_loop(), emit)

    def leave(self, task_id: str) -> None:
        """Stop telling it."""
        self._listening.pop(task_id, None)

    def __call__(self, ctx: ToolContext, text: str) -> None:
        """Hand on how far a call has come, from whichever thread."""
        if self._before is not None:
            self._before(ctx, text)
        self.tell(ctx.task_id, CallProgress(ctx.call_id, ctx.tool, text))

    def asked(self, request: ApprovalRequest, word: str | None) -> None:
        """Hand on that a person is asked, and what they said."""
        self.tell(request.task_id, Asked(request.call_id, request.tool, request.reason, word))

    def tell(self, task_id: str, event: Event) -> None:
        """Hand an event to the agent of a task, if it listens."""
        found = self._listening.get(task_id)
        if found is None:
            return
        loop, emit = found
        if _is_here(loop):
            emit(event)
        elif not loop.is_closed():
            loop.call_soon_threadsafe(emit, event)


def _is_here(loop: asyncio.AbstractEventLoop) -> bool:
    """Say whether this very thread runs the loop, so that events keep their order."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
