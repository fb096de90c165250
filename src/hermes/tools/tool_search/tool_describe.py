"""Show what a tool does and takes."""

from typing import Any

from hermes.runtime.offer import Catalogue
from hermes.tools import ToolContext, tool


@tool(toolset="tool_search", effects="read", reveals=True, emoji="📖")
def tool_describe(name: str, *, ctx: ToolContext) -> dict[str, Any]:
    """Return a tool's description and parameters. Read them before its first `tool_call`.

    Args:
        name: The tool, as tool_search named it.
    """
    return ctx.use(Catalogue).describe(name)
