"""Run cells in a session that remembers."""

from typing import Annotated, Any, Literal

from hermes.base.errors import InvalidArguments
from hermes.base.optional import load
from hermes.tools import Field, ToolContext, ToolResult, tool

LONGEST = 3_600


@tool(
    toolset="code",
    permissions=["code:execute"],
    effects="exec",
    subjects={"code": "code"},
    starts_programs=True,
    timeout_seconds=LONGEST + 120,
    max_result_size_chars=100_000,
    emoji="🔁",
)
async def repl(
    action: Literal["run", "reset", "close"] = "run",
    code: str | None = None,
    session_id: str | None = None,
    language: Literal["python", "javascript"] = "python",
    timeout: Annotated[float, Field(gt=0, le=LONGEST)] = 120,
    *,
    ctx: ToolContext,
) -> ToolResult | dict[str, Any]:
    """Run a cell in a session that keeps its variables, functions and imports for the next one.

    Use it to explore data or build something up step by step. The value of the last expression,
    tables and plots come back; it runs in the task's folder, in the sandbox.

    Args:
        action: run a cell, reset the session to an empty one, or close it.
        code: The cell.
        session_id: Name of a session, to have several; else one per language.
        language: What the cell is written in.
        timeout: Seconds until the cell is interrupted; its session stays.
    """
    service = load("hermes.services.repl")
    repls = ctx.use(service.Repls)
    name = session_id or language
    if action != "run":
        was_there = await repls.end(ctx.task_id, name)
        return {"session_id": name, "status": "new" if action == "reset" else "closed"} | (
            {} if was_there else {"note": "There was no such session."}
        )
    if code is None or not code.strip():
        raise InvalidArguments("there is no code to run", hint="Give it as `code`.")
    cell = await repls.run(service.Asked(code, language, name, timeout), ctx)
    if not cell.images:
        answer: dict[str, Any] = cell.answer
        return answer
    image = load("hermes.runtime.tool_result").image
    parts = tuple(image(data=data, media_type=kind) for kind, data in cell.images)
    return ToolResult(output=cell.answer, parts=parts)
