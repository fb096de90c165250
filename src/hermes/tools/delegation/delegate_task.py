"""Have parts of a task worked on by children."""

from typing import Annotated, Any, NotRequired, TypedDict

from hermes.base.errors import InvalidArguments
from hermes.services.delegation import MOST_TASKS, ChildResult, ChildTask, Delegation
from hermes.tools import Field, ToolContext, tool

LONGEST_WAIT = 86_400
_GOAL_SHOWN = 120


class Part(TypedDict):
    """One part, for one child.

    Args:
        goal: What this child is to find out or do.
        context: What only this child needs to know.
        toolsets: What only this child works with.
    """

    goal: str
    context: NotRequired[str]
    toolsets: NotRequired[list[str]]


@tool(toolset="delegation", effects="none", timeout_seconds=LONGEST_WAIT, emoji="🧩")
async def delegate_task(
    goal: str = "",
    context: str = "",
    tasks: Annotated[list[Part], Field(max_length=MOST_TASKS)] | None = None,
    toolsets: list[str] | None = None,
    max_iterations: Annotated[int, Field(ge=1)] | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Hand a part of the work to a child agent, or several parts at once with `tasks`.

    Use it for parts that need much reading of which you need only the outcome, or that can be done
    side by side. A child starts with an empty conversation, a shell of its own and your folder,
    knows only goal and context, cannot ask back, and only its report comes back. Several at once
    must not change the same files. Check what a report claims before you rely on it.

    Args:
        goal: What to find out or do, and what the report must say; complete by itself.
        context: What the child, or every child, must know: paths, findings, errors, constraints.
        tasks: Several parts, in place of one goal; they are worked on at once.
        toolsets: Names of toolsets or tools to work with; left out = yours, without a few.
        max_iterations: How many rounds each child has at most.
    """
    wanted = _wanted(goal.strip(), context.strip(), tasks or [], toolsets, max_iterations)
    results = await ctx.use(Delegation).run(ctx, wanted)
    return {"results": [_shown(result) for result in results]}


def _wanted(
    goal: str,
    context: str,
    tasks: list[Part],
    toolsets: list[str] | None,
    max_rounds: int | None,
) -> list[ChildTask]:
    if not tasks:
        if not goal:
            raise InvalidArguments("there is no goal", hint="Give goal, or tasks with a goal each.")
        return [ChildTask(goal, context, _names(toolsets), max_rounds)]
    shared = "\n\n".join(filter(None, (f"It is a part of this: {goal}" if goal else "", context)))
    found = []
    for number, part in enumerate(tasks):
        if not part["goal"].strip():
            raise InvalidArguments(f"tasks[{number}] has no goal", hint="Say what is to be done.")
        own = part.get("context", "").strip()
        names = _names(part.get("toolsets") or toolsets)
        both = "\n\n".join(filter(None, (shared, own)))
        found.append(ChildTask(part["goal"].strip(), both, names, max_rounds))
    return found


def _names(toolsets: list[str] | None) -> tuple[str, ...] | None:
    return tuple(toolsets) if toolsets else None


def _shown(result: ChildResult) -> dict[str, Any]:
    goal = result.goal if len(result.goal) <= _GOAL_SHOWN else f"{result.goal[:_GOAL_SHOWN]}…"
    return {
        "goal": goal,
        "status": result.fate,
        **({"report": result.summary} if result.summary else {}),
        **({"error": result.error} if result.error else {}),
        "rounds": result.rounds,
        "calls": result.calls,
        "seconds": round(result.seconds, 1),
    }
