"""Format code."""

from typing import Any, Literal

from hermes.base.optional import load
from hermes.tools import ToolContext, by, tool

_SERVICE = "hermes.services.checking"


@tool(
    toolset="code",
    permissions=by(
        "check", "False", **{"False": ["file:read", "file:write"], "True": ["file:read"]}
    ),
    effects=by("check", "False", **{"False": ["write"], "True": ["read"]}),
    subjects={"paths": "path"},
    paths=["paths"],
    starts_programs=True,
    timeout_seconds=1_200,
    max_result_size_chars=100_000,
    emoji="📐",
)
async def code_format(
    paths: list[str] | None = None,
    code: str | None = None,
    language: Literal[
        "auto",
        "python",
        "javascript",
        "jsx",
        "typescript",
        "tsx",
        "go",
        "rust",
        "json",
        "yaml",
        "css",
        "html",
        "markdown",
    ] = "auto",
    check: bool = False,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Format files, or code, with the formatters that the project uses.

    Finds ruff or black, prettier, gofmt and rustfmt, with the project's own settings.

    Args:
        paths: Files and folders; by default the task's folder.
        code: Code to format instead of files; it is returned.
        language: What the code is written in; files say it themselves.
        check: Change nothing, and say which files are not formatted.
    """
    checking = load(_SERVICE)
    wanted = checking.Wanted(tuple(paths or ()), code, None if language == "auto" else language)
    answer: dict[str, Any] = await load(f"{_SERVICE}.formatting").format_code(
        ctx.use(checking.Checks), ctx, wanted, check=check
    )
    return answer
