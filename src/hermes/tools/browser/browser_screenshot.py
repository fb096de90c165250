"""Take a picture of the page."""

import asyncio
from typing import Any

from hermes.base.optional import load
from hermes.runtime.entry import given
from hermes.tools import ToolContext, ToolResult, tool


@tool(
    toolset="browser",
    permissions=given("network:browse", path="file:write"),
    effects="network",
    subjects={"path": "path:write", "*": "url"},
    parallel=False,
    requires_extra="browser",
    timeout_seconds=120,
    emoji="📷",
)
async def browser_screenshot(
    full_page: bool = False,
    path: str | None = None,
    annotate: bool = False,
    *,
    ctx: ToolContext,
) -> ToolResult:
    """Take a picture of the page.

    Args:
        full_page: All of it, not only what the window shows.
        path: A PNG file to write it to.
        annotate: Write the refs on it.
    """
    pictures = load("hermes.services.browser.pictures", extra="browser")
    driving = load("hermes.services.browser.driving")

    async def work(session: Any) -> tuple[bytes, dict[str, Any]]:
        data = await pictures.screenshot(session, full_page=full_page, annotate=annotate)
        return bytes(data), await driving.about(session)

    data, about = await driving.use(ctx, work)
    if path:
        files = ctx.use(load("hermes.services.files").Files)
        saving = load("hermes.services.files.saving")
        about |= await asyncio.to_thread(lambda: saving.save(files.at(ctx), path, data))
    part = load("hermes.runtime.tool_result").image(data=data)
    return ToolResult(output=about, parts=(part,))
