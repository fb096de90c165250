"""Find tools by what they do."""

from typing import Annotated, Any

from hermes.runtime.offer import Catalogue
from hermes.tools import Field, ToolContext, tool


@tool(toolset="tool_search", effects="read", reveals=True, emoji="🔎")
def tool_search(
    query: str, limit: Annotated[int, Field(ge=1, le=20)] = 5, *, ctx: ToolContext
) -> dict[str, Any]:
    """Find more tools by what they do.

    Then read one with `tool_describe` and use it with `tool_call`.

    Args:
        query: What you want to do, in a few words.
        limit: How many tools at most.
    """
    tools = ctx.use(Catalogue).search(query, limit)
    nothing = {"hint": "Try other words for what the tool should do."}
    return {"tools": tools, **({} if tools else nothing)}
