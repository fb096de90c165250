"""Debug a program."""

from typing import Annotated, Any, Literal, TypedDict

from hermes.base.errors import InvalidArguments
from hermes.base.optional import load
from hermes.tools import Field, ToolContext, tool

_SERVICE = "hermes.services.debugging"
_LONGEST = 600


class Point(TypedDict, total=False):
    """A line to stop at."""

    line: int
    path: str
    condition: str
    log: str
    hits: int


@tool(
    toolset="code",
    permissions=["code:execute"],
    effects="exec",
    subjects={"path": "path:read", "expression": "code", "condition": "code", "log": "code"},
    starts_programs=True,
    timeout_seconds=_LONGEST + 120,
    max_result_size_chars=60_000,
    emoji="🐞",
)
async def code_debug(
    action: Literal[
        "start",
        "continue",
        "next",
        "step",
        "out",
        "pause",
        "evaluate",
        "stack",
        "variables",
        "breakpoints",
        "stop",
    ],
    path: str | None = None,
    args: list[str] | None = None,
    breakpoints: list[Point] | None = None,
    expression: str | None = None,
    session_id: str | None = None,
    frame: Annotated[int, Field(ge=0)] = 0,
    scope: Literal["locals", "globals"] = "locals",
    stop_on: Literal["breakpoint", "entry", "raise"] = "breakpoint",
    language: Literal["python", "javascript"] = "python",
    timeout: Annotated[float, Field(gt=0, le=_LONGEST)] = 30,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Debug a program of Python or Node: run it to breakpoints, step, look at variables.

    start runs a file until it stops, and says where. continue, next (over), step (into) and out go
    on from there; stop ends it. Uncaught exceptions stop the program, too.

    Args:
        action: What to do.
        path: The program to start.
        args: Arguments of the program.
        breakpoints: Lines to stop at, each {line, path, condition, log, hits}; path is the program
            if left out. log is an expression that is printed instead of stopping. They replace
            those that are set.
        expression: What to evaluate in the frame, for action=evaluate.
        session_id: Which session; by default the newest.
        frame: Which frame of the stack; 0 is the innermost.
        scope: Which variables to show.
        stop_on: Also stop at the first line, or wherever an exception is raised.
        language: What the program is written in.
        timeout: Seconds to wait until it stops; it goes on running after that.
    """
    service = load(_SERVICE)
    debugging = ctx.use(service.Debugging)
    points = _points(breakpoints or [], service, language)
    if action == "start":
        if path is None:
            raise InvalidArguments("start needs the path of a program")
        start = service.Start(
            path, language, tuple(args or ()), points, stop_on == "entry", stop_on == "raise",
            timeout,
        )  # fmt: skip
        work = debugging.start(ctx, start)
    else:
        session = debugging.session(ctx.task_id, session_id, language)
        if action == "evaluate":
            if not expression:
                raise InvalidArguments("evaluate needs an expression")
            work = session.evaluate(frame, expression)
        elif action == "variables":
            work = session.variables(frame, scope)
        elif action == "breakpoints":
            work = _place(debugging, session, ctx, points)
        elif action in ("stack", "pause", "stop"):
            work = debugging.simple(action, ctx.task_id, session, timeout)
        else:
            work = session.go(action, timeout)
    answer: dict[str, Any] = await debugging.carry(work)
    return answer


async def _place(debugging: Any, session: Any, ctx: ToolContext, points: Any) -> dict[str, Any]:
    whole = await debugging.points(ctx, points, session.program)
    answer: dict[str, Any] = await session.place(list(whole))
    return answer


def _points(given: list[Point], service: Any, language: str) -> tuple[Any, ...]:
    """Return breakpoints in the debugger's words.

    Raises:
        InvalidArguments: one has no line or an unfit log, or two share a line.
    """
    for each in given:
        if each.get("line", 0) < 1:
            raise InvalidArguments("a breakpoint needs a line, from 1 on")
        if language == "python" and not set("{}").isdisjoint(each.get("log", "")):
            raise InvalidArguments("log cannot have braces; write dict(...) instead")
    places = [(each.get("path", ""), each["line"]) for each in given]
    if len(set(places)) < len(places):
        raise InvalidArguments("there can be one breakpoint at a line; join their conditions")
    return tuple(
        service.Breakpoint(
            each.get("path", ""), each["line"], each.get("condition", ""), each.get("log", ""),
            each.get("hits", 0),
        )
        for each in given
    )  # fmt: skip
