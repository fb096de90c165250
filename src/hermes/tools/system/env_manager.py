"""Read and change the environment variables of the task."""

from typing import Any, Literal

from hermes.base.errors import InvalidArguments
from hermes.base.text import head_and_tail
from hermes.services.variables import Variables, is_secret, shown
from hermes.tools import ToolContext, by, tool

_LONGEST_LISTED = 200


@tool(
    toolset="system",
    permissions=by("action", get="env:read", list="env:read", set="env:write", unset="env:write"),
    effects=by("action", get="read", list="read", set="write", unset="write"),
    emoji="🌱",
)
def env_manager(
    action: Literal["get", "set", "unset", "list"],
    name: str | None = None,
    value: str | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Read or change this task's environment variables, which its commands inherit.

    Changes last as long as the task and touch no other. Secret values are never shown.

    Args:
        action: What to do.
        name: The variable; needed by all but list.
        value: The new value; needed by set.
    """
    variables = ctx.use(Variables)
    if action == "list":
        return _listed(variables, ctx.task_id)
    if not name:
        raise InvalidArguments(f"{action} needs a name")
    if action == "get":
        return _got(variables, ctx.task_id, name)
    if action == "unset":
        return {"name": name, "set": False, "was_set": variables.unset(ctx.task_id, name)}
    if value is None:
        raise InvalidArguments("set needs a value", hint='Use "" for an empty value.')
    variables.set(ctx.task_id, name, value)
    note = {"note": "Later commands look for programs here."} if name == "PATH" else {}
    return {"name": name, "value": shown(name, value), "set": True, **note}


def _got(variables: Variables, task_id: str, name: str) -> dict[str, Any]:
    value = variables.get(task_id, name)
    if value is None:
        near = variables.near(task_id, name)
        return {"name": name, "set": False, **({"similar": near} if near else {})}
    secret = {"secret": True} if is_secret(name) else {}
    return {"name": name, "value": shown(name, value), "set": True, **secret}


def _listed(variables: Variables, task_id: str) -> dict[str, Any]:
    every = variables.all(task_id)
    return {
        "variables": {
            name: head_and_tail(shown(name, value), _LONGEST_LISTED)
            for name, value in every.items()
        },
        "set_by_this_task": variables.own(task_id),
    }
