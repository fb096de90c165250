"""Tell what machine this is and how it is doing."""

from typing import Any

from hermes.services.machine import Machine, Section
from hermes.tools import ToolContext, tool


@tool(
    toolset="system",
    permissions=["system:read"],
    effects="read",
    timeout_seconds=30,
    emoji="💻",
)
async def system_info(sections: list[Section] | None = None, *, ctx: ToolContext) -> dict[str, Any]:
    """Return facts about this machine: hardware, load, free memory and disk, addresses, system.

    Use it before work that needs much memory, disk or many cores, or to find what uses them.

    Args:
        sections: Only these; left out = all but processes (the top 10 by CPU and by memory).
    """
    return await ctx.use(Machine).facts(sections)
