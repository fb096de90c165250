"""Watch files for changes."""

import asyncio
from typing import Annotated, Any, Literal

from hermes.base.errors import InvalidArguments
from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool

LONGEST = 3_600


@tool(
    toolset="file",
    permissions=["file:read"],
    effects="read",
    subjects={"path": "path:read"},
    parallel=True,
    timeout_seconds=LONGEST + 60,
    emoji="👀",
)
async def file_watch(
    action: Literal["start", "poll", "wait", "stop"],
    path: str | None = None,
    patterns: list[str] | None = None,
    watch_id: str | None = None,
    timeout: Annotated[float, Field(ge=0, le=LONGEST)] = 60,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Watch a folder or file for changes: start once, then poll or wait; each change is told once.

    Args:
        action: start watching; poll what has changed; wait until something does; stop.
        path: What to watch, with start.
        patterns: Globs below that folder, such as *.py or src/**; by default all but caches.
        watch_id: Which watch, as start returned it.
        timeout: Seconds that wait waits at most.
    """
    files = ctx.use(load("hermes.services.files").Files)
    watches = files.watches
    if action == "start":
        if not path:
            raise InvalidArguments("start needs path")
        watching = load("hermes.services.files.watching")
        wish = watching.Wish(path, tuple(patterns or ()))

        def begin() -> dict[str, Any]:  # what is elsewhere is waited for
            return dict(watches.start(ctx.task_id, files.at(ctx).disk, wish))

        return await asyncio.to_thread(begin)
    if action == "stop":
        return dict(watches.stop(ctx.task_id, watch_id))
    watch = watches.find(ctx.task_id, watch_id)
    return dict(await watches.wait(watch, timeout) if action == "wait" else watch.told())
