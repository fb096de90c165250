"""The documented names for toolsets, on the process-wide runtime; they only forward."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import hermes
from hermes.runtime.toolsets import Toolset

__all__ = [
    "create_custom_toolset",
    "get_all_toolsets",
    "is_toolset_available",
    "resolve_toolset",
]


def resolve_toolset(name: str) -> list[str]:
    """Return the tools a toolset stands for, includes followed, sorted.

    Raises:
        UnknownToolset: there is none of this name; the nearest names are in the hint.
    """
    return hermes.default_runtime().toolsets.resolve(name)


def get_all_toolsets() -> dict[str, dict[str, Any]]:
    """Return every toolset by name, with its description, its tools and what it includes."""
    return {
        name: _fields(toolset)
        for name, toolset in hermes.default_runtime().toolsets.get_all().items()
    }


def create_custom_toolset(
    name: str, description: str = "", tools: Iterable[str] = (), includes: Iterable[str] = ()
) -> None:
    """Make a toolset of your own, for this process.

    Raises:
        HermesError: the name is taken or a tool or toolset in it does not exist.
    """
    hermes.default_runtime().toolsets.create(name, description, tools, includes)


def is_toolset_available(name: str) -> bool:
    """Whether at least one tool of a toolset can run here now."""
    runtime = hermes.default_runtime()
    available = {status.entry.name for status in runtime.status() if status.available}
    return runtime.toolsets.is_available(name, available.__contains__)


def _fields(toolset: Toolset) -> dict[str, Any]:
    return {
        "description": toolset.description,
        "tools": list(toolset.tools),
        "includes": list(toolset.includes),
    }


def __getattr__(name: str) -> Any:
    """Give ``TOOLSETS``, all toolsets as they are now."""
    if name == "TOOLSETS":
        return get_all_toolsets()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
