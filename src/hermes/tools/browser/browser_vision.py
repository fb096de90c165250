"""Look at the page."""

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
    emoji="👁️",
)
async def browser_vision(
    question: str, annotate: bool = False, *, ctx: ToolContext
) -> dict[str, Any]:
    """Have a model that sees look at the page and answer a question about it.

    Args:
        question: What to find out.
        annotate: Write the refs on the picture, so that the answer can name them.
    """
    pictures = load("hermes.services.browser.pictures", extra="browser")
    driving = load("hermes.services.browser.driving")
    eyes = ctx.use(load("hermes.services.browser.seeing").Eyes)

    async def work(session: Any) -> bytes:
        return bytes(await pictures.screenshot(session, annotate=annotate))

    picture = await driving.use(ctx, work)
    return {"answer": await eyes.look(question, picture)}
