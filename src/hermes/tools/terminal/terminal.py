"""Run a shell command."""

from pathlib import Path
from typing import Annotated, Any, Literal

from hermes.base.errors import InvalidArguments
from hermes.base.optional import load
from hermes.tools import Field, ToolContext, by, tool

LONGEST = 24 * 3_600


@tool(
    toolset="terminal",
    permissions=by(
        "access",
        "sandbox",
        sandbox="terminal:execute",
        network=["terminal:execute", "danger:sandbox"],
        outside=["terminal:execute", "danger:sandbox"],
    ),
    effects="exec",
    subjects={"command": "command", "workdir": "folder", "writable": "path:write"},
    starts_programs=True,
    timeout_seconds=LONGEST + 60,
    max_result_size_chars=120_000,
    emoji="💻",
)
async def terminal(
    command: str,
    background: bool = False,
    timeout: Annotated[float, Field(gt=0, le=LONGEST)] = 180,
    workdir: str | None = None,
    pty: bool = False,
    notify_on_complete: bool = False,
    watch_patterns: list[str] | None = None,
    timeout_action: Literal["stop", "background"] = "stop",
    access: Literal["sandbox", "network", "outside"] = "sandbox",
    writable: list[str] | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Run a command in this task's bash, which keeps its folder, variables and functions.

    Commands run in a sandbox that may write the workspace only. Use background for servers and
    long work, and follow it with process.

    Args:
        command: What to run; several lines are fine.
        background: Start it and return a session_id at once.
        timeout: Seconds until it is stopped.
        workdir: Folder for this command only.
        pty: Give it a terminal, for programs that want one.
        notify_on_complete: Tell when a background command has ended.
        watch_patterns: Tell of lines of a background command that match.
        timeout_action: Let it go on in the background when the time is up.
        access: Ask the user for the network, or for running outside of the sandbox.
        writable: Ask the user for paths to write besides the workspace.
    """
    if "\0" in command or not command.strip():
        raise InvalidArguments("the command is empty" if not command.strip() else "it has a NUL")
    service = load("hermes.services.terminal")
    work = ctx.use(service.Terminal)
    job = service.Job(
        task_id=ctx.task_id,
        call_id=ctx.call_id,
        root=ctx.task.root,
        cwd=str(ctx.cwd),
        command=command,
        workdir=workdir,
        variables=ctx.environment(),
        timeout_seconds=timeout,
        moves_on=timeout_action == "background",
        pty=pty,
        power=service.power(ctx.deed, access, writable or ()),
        notify=notify_on_complete,
        patterns=load("hermes.services.terminal.watching").usable(watch_patterns or ()),
        progress=ctx.progress,
        environment=ctx.task.environment,
        deed=ctx.deed,
    )
    if background:
        answer: dict[str, Any] = await work.start(job)
        return answer
    answer, cwd, root = await work.run(job)
    if cwd:
        ctx.task.cwd, ctx.task.root = Path(cwd), root
    return answer
