"""The table of tools: lock-free to read, checked to write."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any, NamedTuple

from hermes.base.errors import ConfigError, UnknownTool
from hermes.base.messages import own
from hermes.base.text import did_you_mean
from hermes.runtime.entry import Alias, Handler, Lazy, Spec, ToolEntry
from hermes.runtime.traits import normalised
from hermes.schema.faults import schema_faults
from hermes.schema.formats import is_safe, safe_names

Names = dict[str, tuple[ToolEntry, Alias | None]]
_PREFIXES = ("functions.", "default_api.", "tools.", "tool.")


class _Readings(NamedTuple):
    """Other ways to read a name: as providers take it, and with case and dashes ignored."""

    safe: dict[str, str]
    unsafe: dict[str, str]
    folded: dict[str, str | None]

    @classmethod
    def of(cls, names: Iterable[str], tools: Iterable[str]) -> _Readings:
        safe = safe_names(tools)
        folded: dict[str, str | None] = {}
        for name in names:
            key = _fold(name)
            folded[key] = None if key in folded else name
        return cls(safe, {short: name for name, short in safe.items()}, folded)


class ToolRegistry:
    """Hold entries by name.

    The tables are never changed in place: a writer swaps in new ones under a lock, so a reader
    needs none and sees either the old state or the new.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._entries: dict[str, ToolEntry] = {}
        self._names: Names = {}
        self._read: _Readings | None = None
        self._grouped: dict[str, list[str]] | None = None
        self._aliases: dict[str, str] | None = None
        self.generation = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def names(self) -> Set[str]:
        """Return the names of all tools, without aliases; a view that costs nothing."""
        return self._entries.keys()

    def entries(self) -> tuple[ToolEntry, ...]:
        """Return all entries, in the order of their registration."""
        return tuple(self._entries.values())

    def get(self, name: str) -> ToolEntry | None:
        """Return the entry of a name or an alias, or None."""
        found = self._names.get(name)
        return found[0] if found else None

    def find(self, name: str) -> tuple[ToolEntry, Alias | None]:
        """Return the entry a model means, with the alias it used.

        Case, dashes and a provider's prefix do not matter when only one tool is meant.

        Raises:
            UnknownTool: nothing has this name; the nearest names are in the hint.
        """
        found = self._names.get(name) if isinstance(name, str) else None
        if found is None:
            meant = self._meant(name)
            if meant is None:
                raise self.unknown(name)
            found = self._names[meant]
        return found

    def safe_names(self) -> dict[str, str]:
        """Return each tool's name as any provider takes it; both names dispatch."""
        return self._readings().safe

    def provider_name(self, name: str) -> str:
        """Return a tool's name as any provider takes it."""
        return name if is_safe(name) else self.safe_names().get(name, name)

    def grouped(self) -> dict[str, list[str]]:
        """Return the names of the tools by toolset; do not change it."""
        grouped = self._grouped
        if grouped is None:
            grouped = {}
            for entry in self._entries.values():
                grouped.setdefault(entry.toolset, []).append(entry.name)
            self._grouped = grouped
        return grouped

    def aliases(self) -> dict[str, str]:
        """Return the tool behind each alias; do not change it."""
        aliases = self._aliases
        if aliases is None:
            found = self._entries.values()
            aliases = {alias.name: entry.name for entry in found for alias in entry.aliases}
            self._aliases = aliases
        return aliases

    def _meant(self, name: object) -> str | None:
        if not isinstance(name, str):
            return None
        readings = self._readings()
        for prefix in ("", *_PREFIXES):
            if name.startswith(prefix):
                bare = name.removeprefix(prefix)
                meant = readings.unsafe.get(bare) or readings.folded.get(_fold(bare))
                if meant is not None:
                    return meant
        return None

    def _readings(self) -> _Readings:
        readings = self._read
        if readings is None:
            readings = self._read = _Readings.of(self._names, self._entries)
        return readings

    def unknown(self, name: object) -> UnknownTool:
        """Return the error for a name that nothing has, with the nearest ones that exist."""
        text = name if isinstance(name, str) else repr(name)
        text = text[:100]
        near = did_you_mean(text, self._names)
        return UnknownTool(
            f"there is no tool named {text!r}", hint=near or "Use one of the tools on offer."
        )

    def add(self, entry: ToolEntry, *, override: bool = False) -> ToolEntry:
        """Put an entry in; one of the same name and toolset is replaced.

        Raises:
            ConfigError: the name belongs to another toolset and ``override`` is not given.
        """
        with self._lock:
            known = self._entries.get(entry.name)
            is_new = entry.name not in self._names
            is_twin = known is not None and known.toolset == entry.toolset
            plain = not entry.aliases and not (known and known.aliases)
            grouped, aliases = self._grouped, self._aliases
            table = self._with({**self._entries}, [entry], override=override)
            small = is_new or (is_twin and plain)
            self._swap(table, {**self._names, **_names_of(entry)} if small else None)
            if small and grouped is not None:
                self._grouped = grouped if is_twin else _with_member(grouped, entry)
            if small and plain:
                self._aliases = aliases
        return entry

    def replace_source(self, source: str, entries: Iterable[ToolEntry]) -> None:
        """Put a source's entries in place of those it brought before, all at once."""
        self.replace_sources({source: entries})

    def replace_sources(self, brought: Mapping[str, Iterable[ToolEntry]]) -> None:
        """Put the entries of several sources in place of those they brought before, at once."""
        with self._lock:
            kept = {n: entry for n, entry in self._entries.items() if entry.source not in brought}
            found = [entry for entries in brought.values() for entry in entries]
            self._swap(self._with(kept, found, override=False))

    def deregister(self, name: str) -> bool:
        """Take a tool out; say whether it was there. A toolset's check goes with its last tool."""
        with self._lock:
            entry = self._entries.get(name)
            if entry is None:
                return False
            grouped = self._grouped
            self._swap({key: kept for key, kept in self._entries.items() if key != name})
            if grouped is not None and len(grouped[entry.toolset]) > 1:
                group = [kept for kept in grouped[entry.toolset] if kept != name]
                self._grouped = {**grouped, entry.toolset: group}
            return True

    def register(  # noqa: PLR0913 - the documented raw form
        self,
        name: str,
        toolset: str,
        schema: Mapping[str, Any],
        handler: Handler,
        check_fn: Callable[[], Any] | None = None,
        requires_env: Iterable[str] | None = None,
        is_async: bool = False,
        description: str = "",
        emoji: str = "",
        max_result_size_chars: int | None = None,
        dynamic_schema_overrides: Callable[[], Mapping[str, Any]] | None = None,
        override: bool = False,
        **traits: Any,
    ) -> ToolEntry:
        """Register a tool in its raw form: a JSON Schema and ``handler(args, **kw)``."""
        described, parameters = _unwrapped(name, schema)
        if not callable(handler):
            raise ConfigError(f"tool {name!r}: the handler must be callable, not {handler!r}")
        faults = schema_faults(parameters)
        if faults:
            raise ConfigError(f"tool {name!r}: the schema is broken: {'; '.join(faults[:5])}")
        spec = Spec(description or described, own(parameters))
        return self.add(
            ToolEntry(
                name,
                toolset,
                Lazy(lambda: handler),
                Lazy(lambda: spec),
                is_async=is_async,
                raw=True,
                check_fn=check_fn,
                emoji=emoji,
                max_result_size_chars=max_result_size_chars,
                dynamic_schema_overrides=dynamic_schema_overrides,
                **normalised({**traits, "requires_env": requires_env}, name),
            ),
            override=override,
        )

    def _with(
        self, table: dict[str, ToolEntry], entries: list[ToolEntry], *, override: bool
    ) -> dict[str, ToolEntry]:
        is_one = len(entries) == 1 and len(table) == len(self._entries)
        names = self._names if is_one else _all_names(table)
        for entry in entries:
            _check_name(entry)
            if not override:
                _check_free(entry, names)
            table[entry.name] = entry
            if not is_one:
                names.update(_names_of(entry))
        return table

    def _swap(self, table: dict[str, ToolEntry], names: Names | None = None) -> None:
        if names is None:
            names = _all_names(table)
        self._entries, self._names = table, names
        self._read = self._grouped = self._aliases = None
        self.generation += 1


def _with_member(grouped: dict[str, list[str]], entry: ToolEntry) -> dict[str, list[str]]:
    return {**grouped, entry.toolset: [*grouped.get(entry.toolset, ()), entry.name]}


def _all_names(table: Mapping[str, ToolEntry]) -> Names:
    names: Names = {}
    for entry in table.values():
        names.update(_names_of(entry))
    names.update({name: (entry, None) for name, entry in table.items()})
    return names


def _check_free(entry: ToolEntry, names: Names) -> None:
    """A name belongs to one tool: nobody takes it by registering, nor by an alias."""
    for word in (entry.name, *(alias.name for alias in entry.aliases)):
        owner, alias = names.get(word, (None, None))
        if owner is None or (owner.name == entry.name and owner.toolset == entry.toolset):
            continue
        what, whose = "tool name", f"toolset {owner.toolset!r}"
        if word != entry.name or alias is not None:
            what, whose = "alias", f"tool {owner.name!r} of toolset {owner.toolset!r}"
        raise ConfigError(
            f"the {what} {word!r} belongs to {whose}; toolset {entry.toolset!r} cannot take it",
            hint="Choose another name, or pass override=True to replace that tool.",
        )


def _names_of(entry: ToolEntry) -> Names:
    names: Names = {alias.name: (entry, alias) for alias in entry.aliases}
    names[entry.name] = (entry, None)
    return names


def _fold(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(" ", "").casefold()


def _check_name(entry: ToolEntry) -> None:
    for what, word in (("name", entry.name), ("toolset", entry.toolset)):
        if (
            not isinstance(word, str)
            or not word.strip()
            or len(word) > 200
            or not word.isprintable()
        ):
            raise ConfigError(
                f"a tool's {what} must be a short printable word, not {word!r}",
                hint=f"Give the tool a {what} such as 'get_weather'.",
            )


def _unwrapped(name: str, schema: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Accept a bare schema, {name, description, parameters}, or OpenAI's function wrapper."""
    if not isinstance(schema, Mapping):
        raise ConfigError(f"tool {name!r}: the schema must be a dict, not {type(schema).__name__}")
    inner = schema.get("function", schema) if schema.get("type") == "function" else schema
    described = str(inner.get("description", ""))
    for key in ("parameters", "input_schema", "inputSchema"):
        if isinstance(inner.get(key), Mapping):
            return described, dict(inner[key])
    if inner.get("type", "object") != "object":
        raise ConfigError(
            f"tool {name!r}: the parameters' schema must have type 'object', not {inner['type']!r}",
            hint="Describe the arguments as an object with one property for each.",
        )
    if "parameters" in inner or ("name" in inner and "properties" not in inner):
        return described, {"type": "object", "properties": {}}
    return described, {**inner, "type": "object"}


registry = ToolRegistry()
"""The process-wide registry."""
