"""Write a whole file."""

from typing import Any, Literal

from hermes.base.optional import load
from hermes.tools import ToolContext, tool


@tool(
    toolset="file",
    permissions=["file:write"],
    effects="write",
    subjects={"path": "path:write"},
    paths=["path"],
    announced_late=True,
    aliases=["file_write"],
    emoji="📝",
)
def write_file(
    path: str,
    content: str,
    mode: Literal["overwrite", "append", "create"] = "overwrite",
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Write a file whole; missing folders are made. To change a part of a file, use patch.

    Args:
        path: The file, relative to the task's folder or absolute.
        content: All that it will hold, or what is added to its end.
        mode: Replace what is there, add to its end, or only make a file that is not there.
    """
    files = ctx.use(load("hermes.services.files").Files)
    answer: dict[str, Any] = load("hermes.services.files.writing").write(
        files.at(ctx), path, content, mode
    )
    return answer
