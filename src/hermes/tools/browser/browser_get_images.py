"""List the images of the page."""

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
    emoji="🖼️",
)
async def browser_get_images(*, ctx: ToolContext) -> dict[str, Any]:
    """List the images of the page: addresses, words about them, sizes."""
    pictures = load("hermes.services.browser.pictures", extra="browser")
    driving = load("hermes.services.browser.driving")

    async def work(session: Any) -> dict[str, Any]:
        found = await pictures.images(session)
        return {"images": found, "count": len(found)}

    return dict(await driving.run(ctx, work))
