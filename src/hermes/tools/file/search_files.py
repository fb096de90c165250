"""Search files by what is in them, or by name."""

from typing import Annotated, Any, Literal

from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool


@tool(
    toolset="file",
    permissions=["file:read"],
    effects="read",
    subjects={"path": "path:tree"},
    paths=["path"],
    parallel=True,
    aliases=["search", "file_search"],
    timeout_seconds=60,
    max_result_size_chars=100_000,
    emoji="🔎",
)
def search_files(
    pattern: str,
    target: Literal["content", "files"] = "content",
    path: str = ".",
    file_glob: str | None = None,
    limit: Annotated[int, Field(ge=1, le=1_000)] = 50,
    offset: Annotated[int, Field(ge=0)] = 0,
    output_mode: Literal["content", "files_only", "count"] = "content",
    context: Annotated[int, Field(ge=0, le=20)] = 0,
    fuzzy: bool = False,
    literal: bool = False,
    ignore_case: bool = False,
    multiline: bool = False,
    hidden: bool = False,
    ignored: bool = False,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Search the contents of files by regular expression, or find files by name. Use it, not grep.

    Args:
        pattern: A regular expression; with target=files a glob such as *.py or src/**/test_*.py.
        target: Look into files, or at their names.
        path: The folder or file to search.
        file_glob: Only files like this: *.{ts,tsx} anywhere, src/*.py in that folder, !*.md others.
        limit: How many results to return.
        offset: How many to skip; next_offset says where to go on.
        output_mode: Lines, files that have a match, or how many each file has.
        context: Lines to show before and after each match.
        fuzzy: Find files by letters of their path in order, best first; pattern is then no glob.
        literal: The pattern is plain text.
        ignore_case: Capital and small letters are the same.
        multiline: A match may span lines, and . matches a line end.
        hidden: Search hidden files too.
        ignored: Search files too that .gitignore leaves out.
    """
    searching = load("hermes.services.files.searching")
    files = ctx.use(load("hermes.services.files").Files)
    wanted = searching.Wanted(
        pattern, target, path, file_glob, limit, offset, output_mode, context, fuzzy,
        literal, ignore_case, multiline, hidden, ignored,
    )  # fmt: skip
    left = ctx.remaining_seconds
    seconds = searching.SECONDS if left is None else min(searching.SECONDS, left * 0.8)
    answer: dict[str, Any] = searching.search(files.at(ctx), wanted, seconds, lambda: ctx.cancelled)
    return answer
