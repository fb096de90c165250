"""Follow, feed and end background commands."""

from typing import Annotated, Any, Literal

from hermes.base.errors import InvalidArguments
from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool

LONGEST = 24 * 3_600


@tool(
    toolset="terminal",
    permissions="terminal:execute",
    effects="exec",
    subjects={},
    parallel=True,
    aliases=["process_manager"],
    timeout_seconds=LONGEST + 60,
    emoji="⚙️",
)
async def process(
    action: Literal["list", "poll", "log", "wait", "kill", "write", "submit", "close"],
    session_id: str | None = None,
    data: str | None = None,
    timeout: Annotated[float, Field(ge=0, le=LONGEST)] = 60,
    offset: Annotated[int, Field(ge=1)] | None = None,
    limit: Annotated[int, Field(ge=1, le=5_000)] = 200,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Manage the commands that terminal started in the background: follow, feed, end them.

    Args:
        action: list all; poll for new output; log for lines; wait for the end; kill; write data;
            submit data with a line break; close the input.
        session_id: Which one; needed by all but list.
        data: What to write or submit.
        timeout: Seconds to wait at most.
        offset: First line of log; without it the last lines.
        limit: Lines of log.
    """
    work = ctx.use(load("hermes.services.terminal").Terminal)
    following = load("hermes.services.terminal.following").Following(work.processes, ctx.task_id)
    if action == "list":
        answer = following.list()
    else:
        answer = await _act(following, action, following.find(session_id), (data, timeout))
        if action == "log":
            answer = following.log(following.find(session_id), offset, limit)
    if notices := work.notices(ctx.task_id):
        answer["notices"] = notices
    return dict(answer)


async def _act(
    following: Any, action: str, session: Any, given: tuple[str | None, float]
) -> dict[str, Any]:
    data, timeout = given
    found: dict[str, Any] = {}
    if action == "poll":
        found = following.poll(session)
    elif action == "wait":
        found = await following.wait(session, timeout)
    elif action == "kill":
        found = await following.kill(session)
    elif action == "close":
        found = await following.close(session)
    elif action in ("write", "submit"):
        if data is None:
            raise InvalidArguments(f"{action} needs data")
        ending = "\n" if action == "submit" else ""
        found = await following.write(session, (data + ending).encode())
    return found
