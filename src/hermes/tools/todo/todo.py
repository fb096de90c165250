"""Keep a list of what is to be done."""

from typing import Any, TypedDict

from hermes.services.todo import Status, Todos, Written, answer
from hermes.tools import ToolContext, tool


class Item(TypedDict, total=False):
    """One step of the work.

    Args:
        id: A short name to change it by; one is given when it is left out.
        content: What is to be done.
        status: How far it is; at most one item is in_progress.
    """

    id: str
    content: str
    status: Status


@tool(toolset="todo", effects="none", parallel=False, emoji="☑️")
def todo(
    todos: list[Item] | None = None, merge: bool = False, *, ctx: ToolContext
) -> dict[str, Any]:
    """Keep a list of steps for the task at hand; without arguments, read it.

    Use it for work of three steps or more. Mark a step in_progress before you begin it and
    completed as soon as it is done, before the next.

    Args:
        todos: The whole list in order, or with merge only what is new or changes.
        merge: Change the items that the ids name and add the others; false replaces the list.
    """
    service = ctx.use(Todos)
    if todos is None:
        return answer(Written(service.read(ctx.task_id)))
    return answer(service.write(ctx.task_id, todos, merge=merge))
