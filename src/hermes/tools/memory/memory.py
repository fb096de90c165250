"""Remember things between sessions."""

from typing import Any, Literal, NotRequired, TypedDict

from hermes.base.errors import InvalidArguments
from hermes.services.memory import Memories, Target
from hermes.services.memory.entries import Action, Operation
from hermes.tools import ToolContext, by, tool


class Change(TypedDict):
    """One change of a batch.

    Args:
        action: What to do.
        content: The new entry, for add and replace.
        old_text: Words that only the entry to replace or remove has.
    """

    action: Action
    content: NotRequired[str]
    old_text: NotRequired[str]


@tool(
    toolset="memory",
    permissions=by(
        "action", "add",
        add="memory:write", replace="memory:write", remove="memory:write", read="memory:read",
    ),
    effects=by("action", "add", add="write", replace="write", remove="write", read="read"),
    subjects={},
    emoji="🧠",
)  # fmt: skip
def memory(
    action: Literal["add", "replace", "remove", "read"] = "add",
    target: Target = "memory",
    content: str = "",
    old_text: str = "",
    operations: list[Change] | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Remember facts for later sessions, whose prompt begins with them.

    Save what will still matter then: preferences, corrections, how this machine or project works.
    Not progress of this task, and no secrets. Keep entries short; there is little room.

    Args:
        action: What to do; an entry is replaced or removed as a whole.
        target: "user" for facts about the person, "memory" for all others.
        content: The new entry, for add and replace.
        old_text: Words that only the entry to replace or remove has, exactly as they stand there.
        operations: Several changes at once in place of action: all are done or none.
    """
    memories = ctx.use(Memories)
    if action == "read":
        if operations:
            raise InvalidArguments("read changes nothing", hint="Leave out action or operations.")
        return {"target": target, **_read(memories, target, ctx.task_id)}
    if operations and (content or old_text):
        raise InvalidArguments(
            "give either operations or content and old_text", hint="Put all into operations."
        )
    single = [Operation(action, content, old_text)]
    wanted = [Operation(**one) for one in operations or ()] or single
    stored = memories.apply(target, wanted, ctx.task_id)
    return {
        "saved": True,
        "target": target,
        "entries": len(stored.entries),
        "usage": stored.usage,
        **({"notes": list(stored.notes)} if stored.notes else {}),
    }


def _read(memories: Memories, target: Target, task_id: str) -> dict[str, Any]:
    stored = memories.read(target, task_id)
    return {"entries": list(stored.entries), "usage": stored.usage}
