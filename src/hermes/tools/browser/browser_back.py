"""Go back to the page before."""

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
    emoji="⬅️",
)
async def browser_back(*, ctx: ToolContext) -> dict[str, Any]:
    """Go back to the page before, and show it."""
    going = load("hermes.services.browser.going", extra="browser")
    driving = load("hermes.services.browser.driving")

    async def work(session: Any) -> dict[str, Any]:
        await going.back(session)
        shown: dict[str, Any] = await driving.arrived(session)
        return shown

    return dict(await driving.run(ctx, work))
