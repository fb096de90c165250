"""Wait."""

from typing import Annotated

from hermes.base.errors import InvalidArguments
from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool

LONGEST = 3_600


@tool(toolset="system", effects="read", timeout_seconds=LONGEST + 60, emoji="⏳")
async def sleep(
    seconds: Annotated[float, Field(ge=0, le=LONGEST)], *, ctx: ToolContext
) -> dict[str, float]:
    """Wait some seconds. Use it only when nothing can tell you that what you wait for is done.

    Args:
        seconds: How long, at most an hour; fractions are fine.
    """
    if not 0 <= seconds <= LONGEST:
        raise InvalidArguments(f"seconds must be 0 to {LONGEST:,}, not {seconds}")
    ctx.progress(f"waiting {seconds:g} s")
    # By name: listing the tools must not pay for asyncio.
    await load("asyncio").sleep(seconds)
    return {"slept": seconds}
