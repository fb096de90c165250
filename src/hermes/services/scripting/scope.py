"""Which tools scripts may call: those that the settings name, as far as they are on offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from hermes.services.scripting import stubs

_NONE = "No tool may be called here: the script works by itself."


class Entry(Protocol):
    """What is known of a tool on offer."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def description(self) -> str:
        """Its words for a model."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The schema of its arguments."""


class Scope:
    """The choice of the settings; ``resolve`` gives the tools of a toolset, or none."""

    def __init__(self, chosen: Sequence[str], resolve: Callable[[str], Iterable[str]]) -> None:
        self._chosen, self._resolve = tuple(chosen), resolve

    def of(self, offered: Iterable[Entry], caller: str) -> tuple[stubs.Callable, ...]:
        """Return those of the tools on offer that scripts may call; never the one they run by."""
        by_name = {entry.name: entry for entry in offered if entry.name != caller}
        names = dict.fromkeys(
            name
            for chosen in self._chosen
            for name in ([chosen] if chosen in by_name else self._resolve(chosen))
        )
        return tuple(
            stubs.Callable(name, by_name[name].description, by_name[name].parameters)
            for name in names
            if name in by_name
        )


def described(tools: Sequence[stubs.Callable]) -> str:
    """Return the list of functions as a model is shown it."""
    if not tools:
        return _NONE
    lines = "\n".join(f"- {stubs.signature(tool, brief=True)}" for tool in tools)
    return f"Functions of hermes_tools, each gives a dict:\n{lines}"
