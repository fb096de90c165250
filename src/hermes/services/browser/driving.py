"""Do one thing in a task's browser for a call, and tell what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from hermes.base.errors import HermesError
from hermes.services.browser import Browsers
from hermes.services.browser import Caller as Owner
from hermes.services.browser.downloads import Download, taken
from hermes.services.browser.session import Session
from hermes.services.browser.showing import about, after, arrived, shown

__all__ = ["about", "act", "arrived", "run", "shown", "use"]
T = TypeVar("T")
S = TypeVar("S")


class Caller(Owner, Protocol):
    """Who calls a tool; it has services too."""

    def use(self, kind: type[S]) -> S:
        """Return a service by its class."""


async def use(
    caller: Caller, work: Callable[[Session], Awaitable[T]], *, is_leaving: bool = False
) -> T:
    """Return what comes of something that is done in the task's browser."""
    return await caller.use(Browsers).use(caller, work, is_leaving=is_leaving)


async def run(
    caller: Caller,
    work: Callable[[Session], Awaitable[dict[str, Any]]],
    *,
    is_leaving: bool = False,
) -> dict[str, Any]:
    """Return an answer about the task's browser, with the files that its page gave."""

    async def worked(session: Session) -> tuple[dict[str, Any], list[Download]]:
        answer = await work(session)
        return answer, await taken(session)

    answer, downloads = await use(caller, worked, is_leaving=is_leaving)
    return answer | await _kept(caller, downloads)


async def act(
    caller: Caller, work: Callable[[Session], Awaitable[dict[str, Any] | None]]
) -> dict[str, Any]:
    """Act on the page, and return what changed."""

    async def worked(session: Session) -> dict[str, Any]:
        if session.view is None and not session.events.dialog_opened.is_set():
            session.view = await session.look()
        told = await work(session)
        return (told or {}) | await after(session)

    return await run(caller, worked)


async def _kept(caller: Caller, downloads: list[Download]) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    keep = caller.use(Browsers).around.keep
    for each in downloads:
        row: dict[str, Any] = {"name": each.name}
        try:
            row |= (
                {"error": each.trouble}
                if each.trouble
                else await asyncio.to_thread(keep, caller, each.name, each.data)
            )
        except (HermesError, OSError) as error:
            row["error"] = error.message if isinstance(error, HermesError) else str(error)
        rows.append(row)
    return {"downloads": rows} if rows else {}
