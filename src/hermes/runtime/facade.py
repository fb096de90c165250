"""The documented synchronous names, on one process-wide runtime; they only forward."""

from __future__ import annotations

from typing import Any

import hermes
from hermes.base.optional import load
from hermes.runtime.registry import registry


def _runtime() -> Any:
    return hermes.default_runtime()


def get_tool_definitions(
    enabled_toolsets: list[str] | None = None,
    disabled_toolsets: list[str] | None = None,
    quiet_mode: bool = False,  # noqa: ARG001 - part of the documented signature; we are always quiet
    format: str = "openai",
) -> list[dict[str, Any]]:
    """Return what a model is offered, as JSON schemas in a provider's format.

    The dicts are shared between callers: read them, do not change them.
    """
    definitions: list[dict[str, Any]] = _runtime().definitions(
        enabled=enabled_toolsets, disabled=disabled_toolsets, format=format
    )
    return definitions


def handle_function_call(
    name: str, args: Any, task_id: str | None = None, user_task: str | None = None
) -> str:
    """Call one tool and return its answer, always a JSON text.

    It blocks the thread it is called in; on a running event loop use ``await Runtime.call``.
    """
    answer: str = _runtime().call_sync(name, args, task_id=task_id, user_task=user_task)
    return answer


def handle_tool_calls(assistant_message: Any, task_id: str | None = None) -> list[dict[str, Any]]:
    """Run all tool calls of a model's message; answer each, in order, under its id."""
    answers: list[dict[str, Any]] = _runtime().call_many_sync(assistant_message, task_id=task_id)
    return answers


def coerce_tool_args(tool_name: str, args: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments as the tool would be given them; the caller's dict is not touched."""
    entry, alias = _runtime().registry.find(tool_name)
    given = alias.apply(args) if alias else args
    fitted: dict[str, Any] = load("hermes.schema.coerce").coerce(entry.parameters, given).value
    return fitted


def discover_builtin_tools() -> list[str]:
    """Make the built-in tools known to the process-wide registry and return their names."""
    _runtime()
    return sorted(entry.name for entry in registry.entries() if entry.source == "builtin")
