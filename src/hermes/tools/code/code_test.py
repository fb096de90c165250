"""Run tests."""

from typing import Annotated, Any, Literal

from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool

LONGEST = 3_600


@tool(
    toolset="code",
    permissions=["code:execute"],
    effects="exec",
    subjects={"path": "path:read"},
    starts_programs=True,
    timeout_seconds=LONGEST + 60,
    max_result_size_chars=100_000,
    emoji="🧪",
)
async def code_test(
    path: str = ".",
    runner: Literal["auto", "pytest", "unittest", "jest", "vitest", "node", "go", "cargo"] = "auto",
    filter: str = "",
    timeout: Annotated[float, Field(gt=0, le=LONGEST)] = 300,
    coverage: bool = False,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Run tests with the project's runner; counts them and shows what matters of failures.

    Args:
        path: A file or folder; file::name for one test of pytest.
        runner: Which runner; auto goes by the project.
        filter: Only tests whose names match this, as the runner reads it.
        timeout: Seconds until it is stopped; what has ended by then is returned.
        coverage: Measure which lines the tests run.
    """
    testing = load("hermes.services.testing")
    wanted = testing.Wanted(path, runner, filter, timeout, coverage)
    answer: dict[str, Any] = await ctx.use(testing.Tests).run(ctx, wanted)
    return answer
