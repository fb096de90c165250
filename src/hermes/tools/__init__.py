"""Declare tools and use them: the names that authors and callers import."""

from typing import TYPE_CHECKING

from hermes.base.errors import Denied, ToolError
from hermes.base.optional import load
from hermes.runtime.base_tool import BaseTool
from hermes.runtime.context import ToolContext
from hermes.runtime.declare import tool
from hermes.runtime.entry import Alias, by
from hermes.runtime.facade import (
    coerce_tool_args,
    discover_builtin_tools,
    get_tool_definitions,
    handle_function_call,
    handle_tool_calls,
)
from hermes.runtime.registry import ToolRegistry, registry
from hermes.runtime.tool_result import ToolResult, file, image, tool_error, tool_result

if TYPE_CHECKING:
    from hermes.schema.annotations.field import Field

__all__ = [
    "Alias",
    "BaseTool",
    "Denied",
    "Field",
    "ToolContext",
    "ToolError",
    "ToolRegistry",
    "ToolResult",
    "by",
    "coerce_tool_args",
    "discover_builtin_tools",
    "file",
    "get_tool_definitions",
    "handle_function_call",
    "handle_tool_calls",
    "image",
    "registry",
    "tool",
    "tool_error",
    "tool_result",
]


def __getattr__(name: str) -> object:
    """Load ``Field`` when an author first asks for it."""
    if name == "Field":
        return load("hermes.schema.annotations.field").Field
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
