"""Scroll the page."""

from typing import Annotated, Any, Literal

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
    emoji="📜",
)
async def browser_scroll(
    direction: Literal["up", "down", "left", "right"],
    amount: Annotated[int, Field(ge=1, le=100_000)] = 600,
    ref: str | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Scroll the page and say what is new on it.

    Args:
        direction: Where to.
        amount: How many pixels.
        ref: An element inside the part to scroll; by default the page.
    """
    actions = load("hermes.services.browser.actions", extra="browser")
    driving = load("hermes.services.browser.driving")

    async def work(session: Any) -> dict[str, Any]:
        place: dict[str, Any] = await actions.scroll(session, direction, amount, ref or "")
        return {"scrolled": place}

    return dict(await driving.act(ctx, work))
