"""Compare two files or texts."""

from typing import Annotated, Any, Literal

from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool


@tool(
    toolset="file",
    permissions=["file:read"],
    effects="read",
    subjects={"a": "side", "b": "side"},
    parallel=True,
    max_result_size_chars=100_000,
    emoji="🆚",
)
def file_diff(
    a: str,
    b: str,
    context: Annotated[int, Field(ge=0, le=100)] = 3,
    format: Literal["unified", "side_by_side", "stat"] = "unified",
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Show how two files differ, or a file and a text, or two texts.

    Args:
        a: A path; where there is no such file, the text itself.
        b: The other path or text.
        context: Equal lines to show around each change.
        format: A unified diff, two columns, or only how many lines differ.
    """
    files = ctx.use(load("hermes.services.files").Files)
    comparing = load("hermes.services.files.comparing")
    answer: dict[str, Any] = comparing.diff(files.at(ctx), a, b, context, format)
    return answer
