"""Name groups of tools and resolve the names to tools.

A toolset comes from one of three places, later ones hiding earlier ones: the registry's own
grouping (a folder under ``tools/``, an MCP server), the presets, and those made at run time or in
config. A list of toolsets may also name single tools and their aliases.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

from hermes.base.errors import HermesError
from hermes.base.text import nearest

EVERYTHING = ("all", "*")

LEGACY = {
    "audio_tools": "audio",
    "browser_tools": "browser",
    "clarify_tools": "clarify",
    "code_execution": "code",
    "code_execution_tools": "code",
    "code_tools": "code",
    "cron_tools": "cronjob",
    "cronjob_tools": "cronjob",
    "delegate_tools": "delegation",
    "delegation_tools": "delegation",
    "document_tools": "documents",
    "documents_tools": "documents",
    "file_tools": "file",
    "ha_tools": "homeassistant",
    "homeassistant_tools": "homeassistant",
    "image_gen_tools": "image_gen",
    "image_tools": "image_gen",
    "memory_tools": "memory",
    "messaging_tools": "messaging",
    "moa_tools": "moa",
    "platform_tools": "platform",
    "process_tools": "terminal",
    "rl_tools": "rl",
    "session_search_tools": "session_search",
    "skill_tools": "skills",
    "skills_tools": "skills",
    "system_tools": "system",
    "terminal_tools": "terminal",
    "todo_tools": "todo",
    "tool_search_tools": "tool_search",
    "tts_tools": "tts",
    "vision_tools": "vision",
    "web_tools": "web",
}

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_LATER = ("mcp-", "mcp__")


class UnknownToolset(HermesError):
    """Name the toolset that does not exist and the nearest ones that do."""

    code = "unknown_toolset"


class InvalidToolset(HermesError):
    """Say what is wrong with a toolset that someone defines."""

    code = "invalid_toolset"


class NothingLeft(HermesError):
    """Say which disabled toolset took away every tool that was enabled."""

    code = "no_tools_left"


class Toolset(NamedTuple):
    """A named group: tools of its own, and other toolsets it includes."""

    name: str
    description: str = ""
    tools: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


class _View:
    """Everything that has a name at one moment."""

    __slots__ = ("aliases", "leaves", "made", "tools")

    def __init__(
        self,
        leaves: Mapping[str, Sequence[str]],
        made: Mapping[str, Toolset],
        aliases: Mapping[str, str],
        tools: Set[str] | None = None,
    ) -> None:
        self.leaves, self.made, self.aliases = leaves, made, aliases
        self.tools: Set[str] = frozenset().union(*leaves.values()) if tools is None else tools

    def find(self, name: str) -> Toolset:
        """Return what a name stands for; an exact toolset wins over a tool of that name."""
        if name in EVERYTHING:
            return Toolset(name, "Every tool.", tuple(self.tools))
        modern = LEGACY.get(name, name)
        for candidate in (name, modern):
            if candidate in self.made:
                return self.made[candidate]
            if candidate in self.leaves:
                return Toolset(candidate, "", tuple(self.leaves[candidate]))
        tool = name if name in self.tools else self.aliases.get(name, "")
        if tool in self.tools:
            return Toolset(name, f"Only {tool}.", (tool,))
        if f"mcp-{name}" in self.leaves:
            return Toolset(f"mcp-{name}", "", tuple(self.leaves[f"mcp-{name}"]))
        raise _unknown(name, [*self.leaves, *self.made, "all"], [*self.tools, *self.aliases])

    def reach(self, name: str) -> set[str]:
        """Return the registered tools of a toolset and of all it includes."""
        found: set[str] = set()
        start = self.find(name)
        waiting, seen = [start], {name, start.name}
        while waiting:
            toolset = waiting.pop()
            for tool in toolset.tools:
                found.add(tool if tool in self.tools else self.aliases.get(tool, tool))
            for included in toolset.includes:
                if included not in seen:
                    seen.add(included)
                    waiting.append(self._included(included))
        return {tool for tool in found if tool in self.tools}

    def _included(self, name: str) -> Toolset:
        try:
            return self.find(name)
        except UnknownToolset:
            return Toolset(name)  # a preset may include toolsets that are not installed


class Toolsets:
    """All toolsets of one runtime.

    ``leaves`` returns the tools of each toolset as the registry groups them now, ``aliases`` the
    tool behind each alias, ``tools`` all names of tools where that is cheaper to say. Readers take
    no lock: the table of made toolsets is swapped whole.
    """

    def __init__(
        self,
        leaves: Callable[[], Mapping[str, Sequence[str]]],
        *,
        presets: Iterable[Toolset] = (),
        descriptions: Callable[[], Mapping[str, str]] = dict,
        aliases: Callable[[], Mapping[str, str]] = dict,
        tools: Callable[[], Set[str]] | None = None,
    ) -> None:
        self._leaves = leaves
        self._tools = tools
        self._descriptions = descriptions
        self._aliases = aliases
        self._presets = {preset.name: preset for preset in presets}
        self._made: dict[str, Toolset] = {}
        self._lock = threading.Lock()
        self._generation = 0

    @property
    def generation(self) -> int:
        """Return a number that grows whenever a toolset is made or removed."""
        return self._generation

    def get_all(self) -> dict[str, Toolset]:
        """Return every toolset by name, sorted."""
        words = self._descriptions()
        return {
            name: toolset._replace(description=toolset.description or words.get(name, ""))
            for name, toolset in sorted(self._table().items())
        }

    def _table(self) -> dict[str, Toolset]:
        leaves = {
            name: Toolset(name, "", tuple(sorted(tools))) for name, tools in self._leaves().items()
        }
        return {**leaves, **self._presets, **self._made}

    def get(self, name: str) -> Toolset:
        """Return one toolset; legacy names, tools and aliases become the toolset they stand for."""
        return self._view().find(name)

    def known_tools(self) -> frozenset[str]:
        """Return every tool name that a composite toolset mentions, registered or not."""
        made = (*self._presets.values(), *self._made.values())
        return frozenset(name for toolset in made for name in toolset.tools)

    def resolve(self, name: str) -> list[str]:
        """Return the registered tools a name stands for, sorted, each once.

        Includes are followed whatever shape they have: in a cycle every member contributes. Tools
        that a preset names but nobody has registered are left out.
        """
        return sorted(self._view().reach(name))

    def resolve_all(
        self, enabled: Iterable[str] | None = None, disabled: Iterable[str] | None = None
    ) -> list[str]:
        """Return the tools of the enabled toolsets without those of the disabled ones.

        None enables everything. Disabling always wins and takes away all that a name resolves to,
        shared tools too. A composite that would so take away the very last tool is refused:
        whoever wrote it meant the bundle's name, not every tool in it.

        Raises:
            UnknownToolset: A name is no toolset, tool or alias.
            NothingLeft: A disabled composite took away every enabled tool.
        """
        view = self._view()
        chosen = list(EVERYTHING[:1] if enabled is None else enabled)
        unwanted = list(disabled or ())
        kept = {tool for name in chosen for tool in view.reach(name)}
        left = kept.difference(*(view.reach(name) for name in unwanted))
        if kept and not left:
            _explain_empty(view, kept, chosen, unwanted)
        return sorted(left)

    def is_available(self, name: str, is_tool_available: Callable[[str], bool]) -> bool:
        """Say whether at least one tool of a toolset can be used now."""
        return any(is_tool_available(tool) for tool in self.resolve(name))

    def create(
        self,
        name: str,
        description: str = "",
        tools: Iterable[str] = (),
        includes: Iterable[str] = (),
        *,
        override: bool = False,
    ) -> Toolset:
        """Make a toolset, or replace one made before; return it.

        Names of tools and toolsets are checked, but those of MCP servers may appear later. A
        toolset may include itself through others. The name of a built-in toolset is refused
        unless ``override`` is set.

        Raises:
            InvalidToolset: The name cannot be used, or a tool does not exist.
            UnknownToolset: An included toolset does not exist.
        """
        made = Toolset(name, description, _unique(tools), _unique(includes))
        self.define([made], override=override)
        return made

    def define(self, toolsets: Iterable[Toolset], *, override: bool = False) -> None:
        """Make several toolsets at once, which may include each other, all or none."""
        new = {toolset.name: toolset for toolset in toolsets}
        with self._lock:
            for toolset in new.values():
                self._check(toolset, new, override=override)
            self._made = {**self._made, **new}
            self._generation += 1

    def remove(self, name: str) -> None:
        """Forget a toolset that was made at run time; built-in ones stay."""
        with self._lock:
            if name not in self._made:
                raise _unknown(name, self._made, ())
            self._made = {key: value for key, value in self._made.items() if key != name}
            self._generation += 1

    def _view(self) -> _View:
        tools = self._tools() if self._tools else None
        return _View(self._leaves(), {**self._presets, **self._made}, self._aliases(), tools)

    def _check(self, toolset: Toolset, new: Mapping[str, Toolset], *, override: bool) -> None:
        name = toolset.name
        if not _NAME.fullmatch(name):
            raise InvalidToolset(
                f"{name!r} cannot name a toolset",
                hint="Use letters, digits, '-', '_' and '.', at most 64, starting with a letter.",
            )
        table = self._table()
        is_built_in = name in table and name not in self._made
        if name in EVERYTHING or ((is_built_in or name in LEGACY) and not override):
            raise InvalidToolset(
                f"the toolset {name!r} is built in", hint="Choose another name, or override it."
            )
        if not toolset.tools and not toolset.includes:
            raise InvalidToolset(f"the toolset {name!r} names no tools and includes no toolsets")
        view = self._view()
        self._check_tools(toolset, view)
        for included in toolset.includes:
            if included not in new and not included.startswith(_LATER):
                view.find(included)

    def _check_tools(self, toolset: Toolset, view: _View) -> None:
        known = {*view.tools, *view.aliases}
        known.update(*(preset.tools for preset in self._presets.values()))
        for tool in toolset.tools:
            if tool not in known and not tool.startswith(_LATER):
                raise InvalidToolset(
                    f"the toolset {toolset.name!r} names {tool!r}, which is no tool",
                    hint=_suggestion(nearest(tool, sorted(known))),
                )


def _explain_empty(view: _View, kept: set[str], chosen: list[str], unwanted: list[str]) -> None:
    for name in unwanted:
        if name in EVERYTHING or name in chosen or not view.find(name).includes:
            continue
        if kept <= view.reach(name):
            raise NothingLeft(
                f"disabling {name!r} takes away every tool of {', '.join(chosen)}",
                hint="Disable the single toolsets or tools you do not want.",
            )


def from_mapping(definitions: Mapping[str, Mapping[str, Any]]) -> list[Toolset]:
    """Return toolsets from config: name to ``description``, ``tools`` and ``includes``."""
    return [
        Toolset(
            name,
            str(given.get("description", "")),
            _unique(given.get("tools", ())),
            _unique(given.get("includes", ())),
        )
        for name, given in definitions.items()
    ]


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    names = [names] if isinstance(names, str) else names
    return tuple(dict.fromkeys(names))


def _unknown(name: str, toolsets: Iterable[str], tools: Iterable[str]) -> UnknownToolset:
    listed = sorted(set(toolsets))
    near = nearest(name, listed) or nearest(name, sorted(tools))
    hint = _suggestion(near) or f"Toolsets are {', '.join(listed)}."
    return UnknownToolset(f"no toolset {name!r}", hint=hint)


def _suggestion(names: list[str]) -> str | None:
    return f"Did you mean {' or '.join(map(repr, names))}?" if names else None
