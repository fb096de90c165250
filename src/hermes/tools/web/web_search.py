"""Search the web."""

from typing import Annotated, Any

from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool


@tool(
    toolset="web",
    permissions=["network:search"],
    effects="network",
    subjects={"*": "url"},
    requires_extra="web",
    timeout_seconds=120,
    emoji="🔎",
)
async def web_search(
    query: str,
    limit: Annotated[int, Field(ge=1, le=50)] = 5,
    search_engine: str | None = None,
    date_range: str | None = None,
    safe_search: bool | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Search the web and return titles, addresses and snippets, best first.

    Args:
        query: What to look for.
        limit: How many results.
        search_engine: One engine by name; by default whichever answers first.
        date_range: day, week, month, year, 2024-05-01 (since then) or 2024-05-01..2024-06-30.
        safe_search: Leave out what is not for everyone.
    """
    contract = load("hermes.services.web.search.contract")
    searching = ctx.use(load("hermes.services.web.searching").Searching)
    wanted = contract.query_of(query, limit, date_range, safe_search)
    found: dict[str, Any] = await searching.search(wanted, ctx, only=search_engine or "")
    return found
