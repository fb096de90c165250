"""Crawl a site."""

from typing import Annotated, Any

from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool


@tool(
    toolset="web",
    permissions=["network:fetch"],
    effects="network",
    subjects={"url": "url"},
    requires_extra="web",
    timeout_seconds=300,
    emoji="🕸️",
)
async def web_crawl(
    url: str,
    max_pages: Annotated[int, Field(ge=1, le=1_000)] = 20,
    max_depth: Annotated[int, Field(ge=0, le=10)] = 2,
    include: list[str] | None = None,
    exclude: list[str] | None = None,
    instructions: str | None = None,
    resume: str | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Crawl a site breadth first and keep its pages as Markdown files; robots.txt is honoured.

    Args:
        url: Where to begin; links to other sites are not followed.
        max_pages: How many pages.
        max_depth: How many links away from the first page.
        include: Only addresses like these, such as "/docs/*"; they may be on other sites.
        exclude: No addresses like these.
        instructions: What to look for; pages that fit come first, with the fitting paragraph.
        resume: The crawl_id of an earlier crawl, to go on with it.
    """
    crawling = load("hermes.services.web.crawling", extra="web")
    crawler = ctx.use(load("hermes.services.web.crawler").Crawler)
    plan = crawling.Plan(url, max_pages, max_depth, tuple(include or ()), tuple(exclude or ()))
    answer: dict[str, Any] = await crawler.crawl(
        plan, ctx, about=instructions or "", resume=resume or ""
    )
    return answer
