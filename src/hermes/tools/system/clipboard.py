"""Read and write the clipboard."""

from typing import Any, Literal

from hermes.base.errors import InvalidArguments
from hermes.services.clipboard import Clipboard
from hermes.tools import ToolContext, by, tool


@tool(
    toolset="system",
    permissions=by("action", read="clipboard:read", write="clipboard:write"),
    effects=by("action", read="read", write="write"),
    timeout_seconds=30,
    emoji="📋",
)
async def clipboard(
    action: Literal["read", "write"], text: str | None = None, *, ctx: ToolContext
) -> dict[str, Any]:
    """Read the text on the person's clipboard, or replace it.

    The backend "process" means that no desktop is there and only this task sees the text.

    Args:
        action: What to do.
        text: What to write; "" empties the clipboard.
    """
    if action == "read":
        return await ctx.use(Clipboard).read(ctx.task_id)
    if text is None:
        raise InvalidArguments("write needs a text")
    return await ctx.use(Clipboard).write(ctx.task_id, text)
