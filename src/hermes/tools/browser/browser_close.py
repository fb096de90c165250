"""Close the browser."""

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
    emoji="❌",
)
async def browser_close(*, ctx: ToolContext) -> dict[str, Any]:
    """Close the task's browser with its tabs, cookies and storage."""
    browsers = ctx.use(load("hermes.services.browser").Browsers)
    return {"closed": await browsers.close_task(ctx.task_id)}
