"""List a folder."""

from typing import Annotated, Any, Literal

from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool


@tool(
    toolset="file",
    permissions=["file:read"],
    effects="read",
    subjects={"path": "path:read"},
    paths=["path"],
    parallel=True,
    max_result_size_chars=100_000,
    emoji="📁",
)
def directory_list(
    path: str = ".",
    depth: Annotated[int, Field(ge=1, le=50)] = 1,
    pattern: str | None = None,
    hidden: bool = False,
    sort: Literal["name", "size", "modified"] = "name",
    limit: Annotated[int, Field(ge=1, le=5_000)] = 200,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """List a folder as a tree, with sizes, link targets and [marks] of git for what has changed.

    Args:
        path: The folder, relative to the task's folder or absolute.
        depth: How many levels.
        pattern: Only files like this, such as *.py or src/**/*.ts, and the folders they are in.
        hidden: Show hidden entries too.
        sort: By name, or with the largest or newest first.
        limit: How many entries to show; what is nearer to the folder comes first.
    """
    files = ctx.use(load("hermes.services.files").Files)
    service = load("hermes.services.files.listing")
    order = service.Order("", depth, pattern or "", hidden, sort, limit)
    answer: dict[str, Any] = service.show(files.at(ctx), path, order)
    return answer
