"""Show a notification on the desktop."""

from typing import Any

from hermes.services.notifications import Notifications, Urgency
from hermes.tools import ToolContext, tool


@tool(
    toolset="system",
    permissions=["system:notify"],
    effects="write",
    timeout_seconds=30,
    emoji="🔔",
)
async def notification(
    title: str, message: str = "", urgency: Urgency = "normal", *, ctx: ToolContext
) -> dict[str, Any]:
    """Show a desktop notification to the person at this machine.

    Use it when long work is done or when they are needed; not for ordinary answers.

    Args:
        title: A few words.
        message: One or two sentences more.
        urgency: critical stays until it is dismissed.
    """
    return await ctx.use(Notifications).send(title, message, urgency)
