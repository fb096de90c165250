"""Run a piece of code."""

from typing import Annotated, Any, Literal

from hermes.base.errors import InvalidArguments
from hermes.base.optional import load
from hermes.tools import Field, ToolContext, ToolResult, by, tool

LONGEST = 3_600


@tool(
    toolset="code",
    permissions=by(
        "packages",
        "None",
        **{"None": "code:execute", "[]": "code:execute", "": ["code:execute", "network:fetch"]},
    ),
    effects="exec",
    subjects={"code": "code", "workdir": "folder", "save_to": "path:write"},
    starts_programs=True,
    timeout_seconds=2 * LONGEST,
    max_result_size_chars=120_000,
    emoji="▶️",
)
async def code_execute(
    code: str,
    language: Literal["python", "javascript", "typescript", "bash"] = "python",
    stdin: str = "",
    timeout: Annotated[float, Field(gt=0, le=LONGEST)] = 60,
    packages: list[str] | None = None,
    workdir: str | None = None,
    save_to: str | None = None,
    *,
    ctx: ToolContext,
) -> ToolResult | dict[str, Any]:
    """Run a program in an empty folder, which is removed afterwards, and return what it gives.

    Use it to compute something or try an idea out. Nothing is remembered between calls. Of Python,
    the value of the last expression and matplotlib figures come back too.

    Args:
        code: The whole program.
        language: What it is written in.
        stdin: What it reads from its input.
        timeout: Seconds until it is stopped.
        packages: Packages to install for it, over the network, such as requests>=2.31.
        workdir: Run it in this folder instead.
        save_to: Folder to copy the files to that it made.
    """
    if not code.strip() or "\0" in code:
        raise InvalidArguments("the code has a NUL" if code.strip() else "there is no code to run")
    service = load("hermes.services.running")
    asked = service.Code(code, language, stdin, timeout, tuple(packages or ()), workdir, save_to)
    result = await ctx.use(service.Runner).run(asked, ctx)
    if not result.figures:
        answer: dict[str, Any] = result.answer
        return answer
    image = load("hermes.runtime.tool_result").image
    return ToolResult(
        output=result.answer, parts=tuple(image(data=data) for data in result.figures)
    )
