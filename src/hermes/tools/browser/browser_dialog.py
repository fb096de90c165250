"""Answer a dialog."""

from typing import Any, Literal

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
    emoji="💬",
)
async def browser_dialog(
    action: Literal["accept", "dismiss"], prompt_text: str | None = None, *, ctx: ToolContext
) -> dict[str, Any]:
    """Answer the dialog that the page opened: alert, confirm or prompt.

    Args:
        action: accept or dismiss.
        prompt_text: What to write into a prompt.
    """
    dialogs = load("hermes.services.browser.dialogs", extra="browser")
    driving = load("hermes.services.browser.driving")
    ctx.use(load("hermes.services.web").Web).keep_secrets(prompt_text or "")

    async def work(session: Any) -> None:
        await dialogs.answer(session, action, prompt_text)

    return dict(await driving.act(ctx, work))
