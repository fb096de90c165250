"""Click something on the page."""

from typing import Any

from hermes.base.optional import load
from hermes.tools import ToolContext, tool


@tool(
    toolset="browser",
    permissions=["network:browse"],
    effects="network",
    subjects={"*": "url"},
    parallel=False,
    requires_extra="browser",
    timeout_seconds=120,
    emoji="👆",
)
async def browser_click(ref: str, *, ctx: ToolContext) -> dict[str, Any]:
    """Click an element and say what changed.

    Args:
        ref: Its ref, like @e12.
    """
    actions = load("hermes.services.browser.actions", extra="browser")
    driving = load("hermes.services.browser.driving")
    actions.check_ref(ref)

    async def work(session: Any) -> None:
        await actions.click(session, ref)

    return dict(await driving.act(ctx, work))
