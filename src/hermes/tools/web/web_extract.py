"""Read pages."""

from typing import Annotated, Any, Literal

from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool


@tool(
    toolset="web",
    permissions=["network:fetch"],
    effects="network",
    subjects={"urls": "url:each"},
    requires_extra="web",
    timeout_seconds=180,
    max_result_size_chars=300_000,
    emoji="📄",
)
async def web_extract(
    urls: Annotated[list[str], Field(min_length=1, max_length=5)],
    char_limit: Annotated[int, Field(ge=200, le=200_000)] = 20_000,
    format: Literal["markdown", "text", "html"] = "markdown",
    offset: Annotated[int, Field(ge=0)] = 0,
    query: str | None = None,
    summarize: bool = False,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Read up to five pages: articles without menus, PDFs, Office files, feeds, JSON and text.

    Args:
        urls: The addresses.
        char_limit: Characters to show of each.
        format: The form of an article.
        offset: Start here, to read on from next_offset.
        query: Show the paragraphs that fit this question best, if the page is longer.
        summarize: Have the model answer the query, or sum the page up, instead.
    """
    many = load("hermes.services.web.extract.many", extra="web")
    wanted = many.Wanted(tuple(urls), char_limit, format, offset, query, summarize)
    reader = ctx.use(load("hermes.services.web.extract.many").Reader)
    answer: dict[str, Any] = await reader.read(wanted, ctx)
    return answer
