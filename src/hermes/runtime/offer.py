"""What a model is offered: the available entries of its toolsets, as definitions it can read."""

from __future__ import annotations

import functools
import json
import marshal
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.base.errors import UnknownTool
from hermes.base.messages import own
from hermes.base.optional import load
from hermes.base.text import did_you_mean, said
from hermes.runtime.availability import Availability
from hermes.runtime.entry import HARMLESS, Lazy, Spec, ToolEntry
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.toolsets import Toolsets
from hermes.schema.formats import render

if TYPE_CHECKING:
    from hermes.runtime.context import Services
    from hermes.runtime.search import Hit, ToolIndex

Definition = dict[str, Any]
Names = Sequence[str] | None
_QUOTED = re.compile(r"`([A-Za-z][\w:-]*)`")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_CHARS_PER_TOKEN = 4


class ToolStatus(NamedTuple):
    """A tool as people see it: there or not, and why not."""

    entry: ToolEntry
    available: bool
    reason: str | None


class Deferral(NamedTuple):
    """Which toolsets stay behind search: those named, and the largest once the rest is too long."""

    toolsets: tuple[str, ...] = ()
    over_tokens: int = 0


class Offered(NamedTuple):
    """What a tool is described by that depends on the others: all that may be called here."""

    entries: Sequence[ToolEntry]
    services: Services


class _Memo(NamedTuple):
    generation: tuple[int, int]
    until: float
    overrides: list[Any]
    definitions: list[Definition]


class Offer:
    """Decide what is on offer and build its definitions, once per change."""

    def __init__(
        self,
        registry: ToolRegistry,
        toolsets: Toolsets,
        availability: Availability,
        *,
        deferral: Deferral = Deferral(),  # noqa: B008 - a frozen value
        ttl_seconds: float = 30.0,
        strict: bool = False,
    ) -> None:
        self.registry = registry
        self.toolsets = toolsets
        self.availability = availability
        self.services: Services | None = None
        """What tools that are described by others read; whoever has them sets it."""
        self._deferral = deferral
        self._ttl = ttl_seconds
        self._strict = strict
        self._memo: dict[tuple[Any, ...], _Memo] = {}
        self._order: dict[str, int] = {}
        self._index: tuple[int, ToolIndex] | None = None
        self._lock = threading.Lock()

    def status(self) -> list[ToolStatus]:
        """Return every tool with whether it is available, sorted by toolset and name."""
        found = [self._status(entry) for entry in self.registry.entries()]
        return sorted(found, key=lambda status: (status.entry.toolset, status.entry.name))

    def _status(self, entry: ToolEntry) -> ToolStatus:
        fault = _fault(entry)
        if fault is None:
            reason = self.availability.reason(entry)
            return ToolStatus(entry, reason is None, reason)
        stub = Spec("It cannot be described; see why it is not available.", {"type": "object"})
        return ToolStatus(entry._replace(spec=Lazy(lambda: stub)), False, fault)

    def problems(self) -> list[tuple[str, str]]:
        """Return the tools that cannot be described, with the reason; the others are offered."""
        faults = ((entry.name, _fault(entry)) for entry in self.registry.entries())
        return [(f"tool {name}", fault) for name, fault in faults if fault]

    def definitions(
        self, enabled: Names = None, disabled: Names = None, *, format: str = "openai"
    ) -> list[Definition]:
        """Return the definitions on offer; the same objects until something changes.

        Raises:
            HermesError: a toolset or the format is unknown; the nearest names are in the hint.
        """
        key = (format, tuple(enabled) if enabled is not None else None, tuple(disabled or ()))
        memo = self._memo.get(key)
        if memo is None or not self._holds(memo):
            memo = self._build(key)
        return memo.definitions[:]

    def _holds(self, memo: _Memo) -> bool:
        return (
            memo.generation == (self.registry.generation, self.toolsets.generation)
            and time.monotonic() < memo.until
            and all(make() == value for make, value in memo.overrides)
        )

    def _build(self, key: tuple[Any, ...]) -> _Memo:
        format_, enabled, disabled = key
        generation = (self.registry.generation, self.toolsets.generation)
        offered, deferred = self.split(enabled, disabled)
        dynamic = [(e.name, e.dynamic_schema_overrides) for e in offered]
        made = [(name, make, make()) for name, make in dynamic if make]
        changed = {name: value for name, _, value in made}
        overrides = [(make, value) for _, make, value in made]
        changed |= self._described(offered, deferred)
        names = {entry.name for entry in offered}
        is_hidden = functools.cache(lambda word: word not in names and self._is_tool(word))
        definitions = [
            self._definition(entry, format_, is_hidden, changed.get(entry.name))
            for entry in self._in_order(offered)
        ]
        known = self._memo.get(key)
        if known is not None and known.definitions == definitions:
            definitions = known.definitions
        memo = _Memo(generation, time.monotonic() + self._ttl, overrides, definitions)
        self._memo[key] = memo
        return memo

    def _described(
        self, shown: list[ToolEntry], deferred: list[ToolEntry]
    ) -> dict[str, Mapping[str, Any]]:
        """Return the words of those tools that name others."""
        if self.services is None:
            return {}
        entries = [entry for entry in (*shown, *deferred) if not entry.reveals]
        around = Offered(entries, self.services)
        makers = [(entry.name, entry.described_by) for entry in shown]
        return {name: {"description": make(around)} for name, make in makers if make}

    def _definition(
        self, entry: ToolEntry, format: str, is_hidden: Callable[[str], bool], overrides: Any
    ) -> Definition:
        changed: Mapping[str, Any] = overrides or {}
        parameters = _copied(changed.get("parameters", entry.parameters))
        description = str(changed.get("description", entry.description))
        if "`" in description:
            names = parameters.get("properties", {})
            description = mentioning_only(
                description, lambda word: word not in names and is_hidden(word)
            )
        name = self.registry.provider_name(entry.name)
        if format == "mcp":
            return _for_clients(entry, render(format, name, description, parameters))
        return render(format, name, description, parameters, strict=self._strict)

    def _is_tool(self, word: str) -> bool:
        return word in self.registry or word in self.toolsets.known_tools()

    def _in_order(self, entries: Iterable[ToolEntry]) -> list[ToolEntry]:
        """Sort by name the first time; what comes later is appended, so a prompt cache holds."""
        with self._lock:
            for entry in sorted(entries, key=lambda entry: entry.name):
                self._order.setdefault(entry.name, len(self._order))
        return sorted(entries, key=lambda entry: self._order[entry.name])

    def split(self, enabled: Names, disabled: Names) -> tuple[list[ToolEntry], list[ToolEntry]]:
        """Return the available entries that are shown and those that are found by search."""
        entries = self._available(enabled, disabled)
        behind = self._deferred([entry for entry in entries if not entry.reveals])
        deferred = [entry for entry in entries if entry.name in behind]
        revealing = [entry for entry in entries if entry.reveals]
        if deferred:
            revealing = [entry for entry in self.registry.entries() if entry.reveals]
        else:
            revealing = [entry for entry in revealing if entry.toolset in (enabled or ())]
        shown = [entry for entry in entries if entry.name not in behind and not entry.reveals]
        return [*shown, *revealing], deferred

    def _available(self, enabled: Names, disabled: Names) -> list[ToolEntry]:
        names = self.toolsets.resolve_all(enabled, disabled)
        found = (self.registry.get(name) for name in names)
        return [
            entry
            for entry in found
            if entry and _fault(entry) is None and self.availability.reason(entry) is None
        ]

    def _deferred(self, entries: list[ToolEntry]) -> set[str]:
        """Return the names behind search: named toolsets, then strangers, then the largest."""
        named: set[str] = set()
        for toolset in self._deferral.toolsets:
            named.update(self.toolsets.resolve(toolset))
        left = [entry for entry in entries if entry.name not in named]
        budget = self._deferral.over_tokens
        if budget <= 0:
            return named
        sizes: dict[tuple[bool, str], int] = {}
        for entry in left:
            key = (entry.source != "builtin", entry.toolset)
            sizes[key] = sizes.get(key, 0) + _tokens(entry)
        total = sum(sizes.values())
        for key in sorted(sizes, key=lambda key: (not key[0], -sizes[key], key[1])):
            if total <= budget:
                break
            total -= sizes[key]
            named.update(entry.name for entry in left if entry.toolset == key[1])
        return named

    def index(self) -> ToolIndex:
        """Return the search index over all tools, built once per change."""
        generation = self.registry.generation
        if self._index is None or self._index[0] != generation:
            index = load("hermes.runtime.search").ToolIndex(
                entry for entry in self.registry.entries() if _fault(entry) is None
            )
            self._index = (generation, index)
        return self._index[1]


class Catalogue:
    """Let a model find and read the tools it may call but is not shown."""

    def __init__(self, offer: Offer, enabled: Names, disabled: Names) -> None:
        self._offer = offer
        self._enabled, self._disabled = enabled, disabled

    def names(self) -> frozenset[str]:
        """Return all tools that may be called here and now."""
        return frozenset(self._callable())

    def entries(self) -> list[ToolEntry]:
        """Return all tools that may be called here and now, as they are known."""
        return list(self._callable().values())

    def search(self, query: str, limit: int = 5) -> list[dict[str, str]]:
        """Return the tools that best match a few words, best first."""
        callable_here = self._callable()
        hits: list[Hit] = self._offer.index().search(query, limit=len(self._offer.registry))
        found = [hit.entry for hit in hits if hit.name in callable_here][:limit]
        return [
            {"name": entry.name, "toolset": entry.toolset, "description": entry.description[:400]}
            for entry in found
        ]

    def describe(self, name: str) -> dict[str, Any]:
        """Return a tool's words and the schema of its arguments.

        Raises:
            UnknownTool: there is none of this name here.
        """
        callable_here = self._callable()
        entry = self._offer.registry.get(name)
        if entry is None or entry.name not in callable_here:
            hint = (
                did_you_mean(name, callable_here) or "Find one by searching for what it should do."
            )
            raise UnknownTool(f"there is no tool named {name!r} here", hint=hint)
        return {
            "name": entry.name,
            "description": entry.description,
            "parameters": entry.parameters,
        }

    def _callable(self) -> dict[str, ToolEntry]:
        shown, deferred = self._offer.split(self._enabled, self._disabled)
        return {entry.name: entry for entry in (*shown, *deferred) if not entry.reveals}


def _fault(entry: ToolEntry) -> str | None:
    """Return why a tool's signature cannot be turned into a schema, if so."""
    try:
        entry.spec()
    except Exception as error:  # one broken tool must not hide the others
        return said(error) or type(error).__name__
    return None


def mentioning_only(text: str, is_hidden: Callable[[str], bool]) -> str:
    """Drop the sentences that send a model to a tool it does not have."""
    paragraphs = []
    for paragraph in text.split("\n\n"):
        sentences = _SENTENCE.split(paragraph)
        kept = [s for s in sentences if not any(map(is_hidden, _QUOTED.findall(s)))]
        if kept:
            paragraphs.append(" ".join(kept))
    return "\n\n".join(paragraphs) or text.split("\n\n", 1)[0]


def _copied(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that callers may spoil without spoiling the tool's own."""
    try:
        copy: dict[str, Any] = marshal.loads(marshal.dumps(schema))
    except ValueError:  # a value that has no plain form
        return dict(own(schema))
    return copy


def _tokens(entry: ToolEntry) -> int:
    size = len(entry.name) + len(entry.description) + len(json.dumps(entry.parameters))
    return size // _CHARS_PER_TOKEN


def _for_clients(entry: ToolEntry, definition: Definition) -> Definition:
    """Return a definition with what only MCP clients are shown of a tool."""
    definition["title"] = entry.title or _readable(entry.name)
    if entry.output_schema is not None:
        definition["outputSchema"] = dict(entry.output_schema)
    annotations = _annotations(entry)
    if annotations:
        definition["annotations"] = annotations
    return definition


def _readable(name: str) -> str:
    """Return a tool's name as a person would write it: ``read_file`` is "Read file"."""
    words = re.sub(r"[-_:.]+", " ", name).strip()
    return words[:1].upper() + words[1:]


def _annotations(entry: ToolEntry) -> dict[str, bool]:
    """Return the hints by which clients decide how careful to be; what nobody says is left out."""
    hints: dict[str, bool | None] = {}
    if entry.effects is not None and not callable(entry.effects):
        reads = entry.effects <= HARMLESS
        hints = {"readOnlyHint": reads, "openWorldHint": "network" in entry.effects}
        if not reads:
            hints |= {"destructiveHint": entry.destructive, "idempotentHint": entry.idempotent}
    else:
        hints = {"destructiveHint": entry.destructive, "idempotentHint": entry.idempotent}
    return {name: hint for name, hint in hints.items() if hint is not None}
