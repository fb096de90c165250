"""Check code."""

from typing import Any, Literal

from hermes.base.optional import load
from hermes.tools import ToolContext, by, tool

_SERVICE = "hermes.services.checking"


@tool(
    toolset="code",
    permissions=by("fix", "False", **{"False": ["file:read"], "True": ["file:read", "file:write"]}),
    effects=by("fix", "False", **{"False": ["read"], "True": ["write"]}),
    subjects={"paths": "path"},
    paths=["paths"],
    starts_programs=True,
    timeout_seconds=1_200,
    max_result_size_chars=100_000,
    emoji="🧹",
)
async def code_lint(
    paths: list[str] | None = None,
    code: str | None = None,
    language: Literal[
        "auto", "python", "javascript", "jsx", "typescript", "tsx", "bash", "go", "rust"
    ] = "auto",
    fix: bool = False,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Check files, or code, with the linters that the project uses.

    Finds ruff, mypy, pyright, eslint, tsc, shellcheck, gofmt, go vet, rustfmt and clippy. A tool
    that is not installed is named under missing, and the others still run.

    Args:
        paths: Files and folders; by default the task's folder.
        code: Code to check instead of files.
        language: What the code is written in; files say it themselves.
        fix: Fix what the tools can fix; files can be brought back with undo.
    """
    checking = load(_SERVICE)
    wanted = checking.Wanted(tuple(paths or ()), code, None if language == "auto" else language)
    answer: dict[str, Any] = await load(f"{_SERVICE}.linting").lint(
        ctx.use(checking.Checks), ctx, wanted, fix=fix
    )
    return answer
