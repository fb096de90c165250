"""Show the page."""

from typing import Annotated, Any

from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool


@tool(
    toolset="browser",
    permissions=["network:browse"],
    effects="network",
    subjects={"*": "url"},
    parallel=False,
    requires_extra="browser",
    timeout_seconds=120,
    emoji="📸",
)
async def browser_snapshot(
    full: bool = False,
    offset: Annotated[int, Field(ge=0)] = 0,
    query: str | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Show the page as text: things to act on with refs, and the text around them.

    Args:
        full: The whole accessibility tree instead.
        offset: Start here, to read on from next_offset.
        query: Only the lines that fit these words, and those around them.
    """
    driving = load("hermes.services.browser.driving", extra="browser")

    async def work(session: Any) -> dict[str, Any]:
        shown: dict[str, Any] = await driving.shown(
            session, full=full, offset=offset, query=query or ""
        )
        return shown

    return dict(await driving.run(ctx, work))
