"""Run a script that calls tools."""

from typing import Annotated, Any

from hermes.base.errors import InvalidArguments
from hermes.base.optional import load
from hermes.runtime.offer import Offered
from hermes.tools import Field, ToolContext, tool

LONGEST = 24 * 3_600
_WORDS = (
    "Run a Python script that calls tools as functions, to do many steps in one call: loops, "
    "filters, joins. Only what it prints comes back, so print the answer and not the data. A tool "
    "that fails raises ToolFailed with .code and .hint; gather(aio.x(...), aio.y(...)) makes calls "
    "at once. It keeps nothing between calls."
)


def _described(offered: Offered) -> str:
    """Return the words for the model: exactly the functions that a script may call here."""
    scope = load("hermes.services.scripting.scope")
    tools = offered.services.get(scope.Scope).of(offered.entries, "execute_code")
    return f"{_WORDS}\n\n{scope.described(tools)}"


@tool(
    toolset="code",
    permissions=["code:execute"],
    effects="exec",
    subjects={"code": "code:python"},
    starts_programs=True,
    described_by=_described,
    timeout_seconds=LONGEST + 60,
    max_result_size_chars=120_000,
    emoji="🐍",
)
async def execute_code(
    code: str,
    timeout: Annotated[float, Field(gt=0, le=LONGEST)] | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Run a Python script that calls tools as functions, to do many steps in one call.

    Use it for loops, filters and joins over tool results: only what it prints comes back. Import
    functions from hermes_tools; each gives a dict and raises ToolFailed with code and hint.

    Args:
        code: The script.
        timeout: Seconds until it is stopped, if less than the configured limit.
    """
    if not code.strip() or "\0" in code:
        raise InvalidArguments("the script is empty" if not code.strip() else "it has a NUL")
    work = ctx.use(load("hermes.services.scripting").Scripting)
    answer: dict[str, Any] = await work.run(ctx, code, timeout)
    return answer
