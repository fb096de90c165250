"""Press keys."""

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
    emoji="🎹",
)
async def browser_press(key: str, *, ctx: ToolContext) -> dict[str, Any]:
    """Press keys on the page, one after the other, and say what changed.

    Besides keys such as Enter, Escape, Control+a or "ArrowDown ArrowDown Enter", gestures: hover
    @e5, drag @e3 @e9, drag @e3 +40 -10 (pixels right and down), select @e5 or select @e5 some words
    of its text, dblclick @e5, rightclick @e5, focus @e5, tab 2, newtab, closetab.

    Args:
        key: The keys, with spaces between them, or one gesture.
    """
    actions = load("hermes.services.browser.actions", extra="browser")
    driving = load("hermes.services.browser.driving")
    ctx.use(load("hermes.services.web").Web).keep_secrets(key, "".join(key.split()))

    async def work(session: Any) -> None:
        await actions.press(session, key)

    return dict(await driving.act(ctx, work))
