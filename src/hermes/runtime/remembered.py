"""Remember entries in a file, and make them again without importing their modules.

A remembered entry has its schema and traits; its module is imported when it is first called, or
when a function among its traits is. The format is Python's own for compiled files, and the file is
trusted as those are: it lies in the user's private home.
"""

from __future__ import annotations

import importlib
import marshal
import sys
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hermes.base.files import private_folder, write_atomic
from hermes.base.optional import load
from hermes.runtime.declare import entry_attached
from hermes.runtime.entry import Alias, By, Given, Lazy, Spec, ToolEntry

if TYPE_CHECKING:
    from pathlib import Path

Signature = list[tuple[str, int, int]]
Standins = dict[tuple[str, str], Callable[..., Any]]

_PLAIN: tuple[str, ...] = (
    "is_async",
    "raw",
    "parallel",
    "paths",
    "subjects",
    "timeout_seconds",
    "max_result_size_chars",
)
_PLAIN += (
    "announced_late",
    "tried_at_once",
    "requires_env",
    "requires_bin",
    "requires_extra",
    "reveals",
    "tags",
)
_PLAIN += ("emoji", "source", "title", "output_schema", "destructive", "idempotent")
_CALLED = (
    "permissions",
    "effects",
    "check_fn",
    "dynamic_schema_overrides",
    "described_by",
    "unwrap",
)
_CHECKSUM_BYTES = 4


def read(file: str, signature: Signature) -> list[ToolEntry] | None:
    """Return what was remembered under this very signature, or None."""
    try:
        with open(file, "rb") as stream:  # noqa: PTH123 - a start should not load pathlib
            data = stream.read()
        if int.from_bytes(data[:_CHECKSUM_BYTES], "big") != zlib.crc32(data[_CHECKSUM_BYTES:]):
            return None
        kept_signature, tools = marshal.loads(data[_CHECKSUM_BYTES:])
        if kept_signature != signature:
            return None
        standins: Standins = {}
        return [_entry(tool, standins) for tool in tools]
    except (OSError, ValueError, EOFError, TypeError, KeyError):
        return None


def write(file: str, signature: Signature, found: list[tuple[str, ToolEntry]]) -> None:
    """Remember entries with the modules they come from; quietly not, where that cannot be done."""
    if not all(_can_be_kept(module, entry) for module, entry in found):
        return
    path: Path = load("pathlib").Path(file)
    try:
        body = marshal.dumps((signature, [_saved(module, entry) for module, entry in found]))
        private_folder(path.parent)
        write_atomic(path, zlib.crc32(body).to_bytes(_CHECKSUM_BYTES, "big") + body)
    except (OSError, ValueError):
        return  # no place for it, or a schema with values that have no plain form


def _can_be_kept(module: str, entry: ToolEntry) -> bool:
    """A tool that its module registered in the raw form cannot be found there again by name."""
    return any(entry_attached(value) is entry for value in vars(sys.modules[module]).values())


def _saved(module: str, entry: ToolEntry) -> dict[str, Any]:
    spec = entry.spec()
    return {
        "name": entry.name,
        "toolset": entry.toolset,
        "module": module,
        "description": spec.description,
        "parameters": spec.parameters,
        "wants_context": spec.wants_context,
        "aliases": [
            (alias.name, dict(alias.preset), dict(alias.rename)) for alias in entry.aliases
        ],
        "plain": {name: getattr(entry, name) for name in _PLAIN},
        "called": {name: _reference(entry.name, getattr(entry, name)) for name in _CALLED},
    }


def _reference(tool: str, value: Any) -> tuple[str, Any]:
    """A function goes by its own name, so that tools sharing a check go on sharing it."""
    if isinstance(value, By):
        return "by", _plain(value)
    if isinstance(value, Given):
        values = [_plain(each) for each in value.by_value]
        return "given", (value.always, dict(value.with_argument), values)
    if callable(value):
        module, name = getattr(value, "__module__", ""), getattr(value, "__qualname__", "")
        is_named = bool(name) and getattr(sys.modules.get(module), name, None) is value
        return "function", f"{module}:{name}" if is_named else f"of the tool {tool}"
    return ("frozenset", sorted(value)) if isinstance(value, frozenset) else ("value", value)


def _plain(words: By) -> tuple[str, dict[str, tuple[str, ...]], str | None]:
    return words.parameter, dict(words.choices), words.otherwise


def _entry(saved: dict[str, Any], standins: Standins) -> ToolEntry:
    spec = Spec(saved["description"], saved["parameters"], wants_context=saved["wants_context"])
    real = Lazy(lambda: _load(saved["module"], saved["name"]))

    def load_handler() -> Callable[..., Any]:
        spec.converters = real().spec().converters
        return real().load()

    called = {
        name: _restored(name, kind, value, real, standins)
        for name, (kind, value) in saved["called"].items()
    }
    return ToolEntry(
        saved["name"],
        saved["toolset"],
        Lazy(load_handler),
        Lazy(lambda: spec),
        aliases=tuple(Alias(*alias) for alias in saved["aliases"]),
        **saved["plain"],
        **called,
    )


def _restored(name: str, kind: str, value: Any, real: Lazy[ToolEntry], standins: Standins) -> Any:
    if kind == "function":
        return standins.setdefault((name, value), lambda *given: getattr(real(), name)(*given))
    if kind == "by":
        return By(*value)
    if kind == "given":
        always, with_argument, values = value
        return Given(always, with_argument, tuple(By(*each) for each in values))
    return frozenset(value) if kind == "frozenset" else value


def _load(module: str, name: str) -> ToolEntry:
    for value in vars(importlib.import_module(module)).values():
        entry = entry_attached(value)
        if entry is not None and entry.name == name:
            return entry
    raise ImportError(f"{module} no longer declares {name!r}; start again")
