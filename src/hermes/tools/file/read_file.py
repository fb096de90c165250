"""Read a file, or a part of it."""

from typing import Annotated, Any

from hermes.base.optional import load
from hermes.tools import Field, ToolContext, ToolResult, tool


@tool(
    toolset="file",
    permissions=["file:read"],
    effects="read",
    subjects={"path": "path:read"},
    paths=["path"],
    parallel=True,
    tried_at_once=True,
    aliases=["file_read"],
    max_result_size_chars=120_000,
    emoji="📖",
)
def read_file(
    path: str,
    offset: int = 1,
    limit: Annotated[int, Field(ge=1, le=10_000)] = 500,
    hex: bool = False,
    *,
    ctx: ToolContext,
) -> dict[str, Any] | ToolResult:
    """Read a file as numbered lines, N|text. Notebooks, Office files and PDFs come as text too.

    Args:
        path: The file, relative to the task's folder or absolute.
        offset: The first line, from 1; a negative number counts from the end.
        limit: How many lines.
        hex: Show the bytes of any file instead; offset and limit then count bytes.
    """
    service = load("hermes.services.files.reading")
    files = ctx.use(load("hermes.services.files").Files)
    found = service.read(files.at(ctx), files.index, path, service.Wanted(offset, limit, hex))
    if isinstance(found, dict):
        return found
    load_result = load("hermes.runtime.tool_result")
    about = {"path": found.found.path, "type": found.media_type, "size": found.found.size}
    part = load_result.image(found.found.path, media_type=found.media_type)
    return ToolResult(output=about, parts=(part,))
