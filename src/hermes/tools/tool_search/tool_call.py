"""Call a tool that tool_search found."""

from typing import Any

from hermes.tools import ToolError, tool


def _inner(args: dict[str, Any]) -> tuple[str, Any]:
    return args["name"], args.get("arguments") or {}


@tool(toolset="tool_search", reveals=True, unwrap=_inner, emoji="📞")
def tool_call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool that `tool_search` found. It is checked and answered like a direct call.

    Args:
        name: The tool's name.
        arguments: Its arguments, as tool_describe lists its parameters.
    """
    # The dispatcher runs the tool inside instead; coming here would skip its permissions.
    raise ToolError(f"{name} did not run: tool_call was not unwrapped", arguments=arguments)
