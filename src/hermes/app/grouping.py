"""The toolsets of a runtime: the folders of tools, the presets, and the operator's own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from hermes import tools
from hermes.base.optional import load
from hermes.config.settings import Settings
from hermes.runtime.entry import ToolEntry
from hermes.runtime.offer import Names
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.toolsets import Toolset, Toolsets
from hermes.tools.presets import PRESETS


def toolsets_of(registry: ToolRegistry, settings: Settings) -> Toolsets:
    """Return the toolsets that the tools of a registry form; MCP servers have theirs unseen."""
    own = [f"mcp-{name}" for name in settings.mcp_servers]
    made = Toolsets(
        functools.partial(_grouped, registry, own) if own else registry.grouped,
        presets=PRESETS,
        aliases=registry.aliases,
        descriptions=_descriptions,
        tools=registry.names,
    )
    if settings.toolsets:
        made.define(Toolset(name, **fields) for name, fields in settings.toolsets.items())
    return made


def _grouped(registry: ToolRegistry, own: Sequence[str]) -> Mapping[str, Sequence[str]]:
    found = registry.grouped()
    unseen = {name: () for name in own if name not in found}
    return {**found, **unseen} if unseen else found


def within(
    toolsets: Toolsets, registry: ToolRegistry, enabled: Names, disabled: Names
) -> Callable[[ToolEntry], bool] | None:
    """Return what says whether a tool is in the chosen toolsets, or None when all of them are."""
    if set(enabled or ()) & {"all", "*"} and not disabled:
        return None
    known: dict[tuple[int, int], frozenset[str]] = {}

    def is_within(entry: ToolEntry) -> bool:
        if entry.reveals:
            return True
        key = (registry.generation, toolsets.generation)
        if key not in known:
            known.clear()
            known[key] = frozenset(toolsets.resolve_all(enabled, disabled))
        return entry.name in known[key]

    return is_within


@functools.cache
def _descriptions() -> dict[str, str]:
    """The toolsets' one-line descriptions, out of the docstrings of their folders."""
    found = {}
    for file in load("pathlib").Path(tools.__file__).parent.glob("*/__init__.py"):
        first = file.read_text(encoding="utf-8").lstrip().removeprefix('"""').split("\n", 1)[0]
        found[file.parent.name] = first.removesuffix('"""').strip()
    return found
