"""Read a feed."""

import asyncio
import time
from typing import Annotated, Any

from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool


@tool(
    toolset="web",
    permissions=["network:fetch"],
    effects="network",
    subjects={"url": "url"},
    requires_extra="web",
    timeout_seconds=60,
    emoji="📰",
)
async def rss_reader(
    url: str,
    limit: Annotated[int, Field(ge=1, le=1_000)] = 20,
    since: str | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Read an RSS, Atom or JSON feed, newest entries first.

    Args:
        url: The feed, or a page that names its feed.
        limit: How many entries.
        since: Only what is newer: a date like 2024-05-01, or 24h, 7d, 2w.
    """
    feeds = load("hermes.services.web.feeds", extra="web")
    moment = feeds.since_of(since, time.time())
    feed = await load("hermes.services.web.finding_feeds", extra="web").feed_at(
        ctx.use(load("hermes.services.web").Web), url, ctx
    )
    answer: dict[str, Any] = await asyncio.to_thread(feeds.told, feed, limit, moment)
    return answer
