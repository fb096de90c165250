"""Find the built-in tools: syntax trees say which modules declare one, and only those are imported.

What was found is kept in a small file, so that a later start imports no tool at all: each entry
loads its module when it is first called. The file is believed only while every source file of the
package has the size and time it had.
"""

from __future__ import annotations

import importlib
import marshal
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.base.files import private_folder, write_atomic
from hermes.base.optional import load
from hermes.base.text import harmless
from hermes.runtime.declare import entry_attached
from hermes.runtime.entry import Alias, By, Lazy, Spec, ToolEntry

if TYPE_CHECKING:
    from pathlib import Path

_PLAIN: tuple[str, ...] = (
    "is_async",
    "raw",
    "parallel",
    "paths",
    "timeout_seconds",
    "max_result_size_chars",
)
_PLAIN += ("requires_env", "requires_bin", "requires_extra", "reveals", "tags", "emoji", "source")
_CALLED = ("permissions", "effects", "check_fn", "dynamic_schema_overrides", "unwrap")
_VERSION = 1

Signature = list[tuple[str, int, int]]


class Discovery(NamedTuple):
    """The entries that were found, and the files that could not be used with the reason."""

    entries: list[ToolEntry]
    problems: list[tuple[str, str]]


def discover(package: ModuleType, cache: str | None = None) -> Discovery:
    """Return the tools of a package whose folders are toolsets and whose files are tools."""
    folder = os.path.dirname(str(package.__file__))  # noqa: PTH120 - a start should not load pathlib
    signature = _signature(os.path.dirname(folder))  # noqa: PTH120
    saved = _read(cache, signature) if cache else None
    if saved is not None:
        return Discovery([_entry(tool) for tool in saved], [])
    found = _imported(package.__name__, folder)
    if cache and not found.problems:
        _write(cache, signature, found.entries)
    return found


def _imported(package: str, folder: str) -> Discovery:
    declares_tool = load("hermes.runtime.declarations").declares_tool
    entries: list[ToolEntry] = []
    problems: list[tuple[str, str]] = []
    for path in sorted(load("pathlib").Path(folder).glob("*/*.py")):
        name = f"{package}.{path.parent.name}.{path.stem}"
        try:
            if path.stem != "__init__" and declares_tool(path.read_text(encoding="utf-8")):
                entries.extend(_declared(importlib.import_module(name)))
        except Exception as error:  # one broken file must not hide the others
            problems.append((str(path), f"{type(error).__name__}: {harmless(str(error))}"))
    return Discovery(entries, problems)


def _declared(module: ModuleType) -> Iterator[ToolEntry]:
    for value in vars(module).values():
        entry = entry_attached(value)
        if entry is not None and value.__module__ == module.__name__:
            entry.spec()
            yield entry


def _signature(root: str) -> Signature:
    """Every source file that a schema can depend on, with its time and size."""
    found: Signature = [(sys.version, _VERSION, 0)]
    folders = [root]
    while folders:
        with os.scandir(folders.pop()) as listing:
            for item in listing:
                if item.is_dir(follow_symlinks=False):
                    if item.name != "__pycache__":
                        folders.append(item.path)
                elif item.name.endswith(".py"):
                    stat = item.stat()
                    found.append((item.path, stat.st_mtime_ns, stat.st_size))
    return found


def _read(cache: str, signature: Signature) -> list[dict[str, Any]] | None:
    try:
        with open(cache, "rb") as stream:  # noqa: PTH123 - a start should not load pathlib
            data = stream.read()
        if int.from_bytes(data[:4], "big") != zlib.crc32(data[4:]):
            return None
        saved = marshal.loads(data[4:])
    except (OSError, ValueError, EOFError, TypeError):
        return None
    tools: list[dict[str, Any]] = saved["tools"]
    return tools if sorted(saved["signature"]) == sorted(signature) else None


def _write(cache: str, signature: Signature, entries: list[ToolEntry]) -> None:
    body = marshal.dumps({"signature": signature, "tools": [_saved(entry) for entry in entries]})
    path: Path = load("pathlib").Path(cache)
    try:
        private_folder(path.parent)
        write_atomic(path, zlib.crc32(body).to_bytes(4, "big") + body)
    except OSError:
        return  # the next start looks again


def _saved(entry: ToolEntry) -> dict[str, Any]:
    spec, target = entry.spec(), entry.load()
    plain = {name: getattr(entry, name) for name in _PLAIN}
    called = {name: _reference(getattr(entry, name)) for name in _CALLED}
    return {
        "name": entry.name,
        "toolset": entry.toolset,
        "module": f"{target.__module__}",
        "description": spec.description,
        "parameters": spec.parameters,
        "wants_context": spec.wants_context,
        "aliases": [
            (alias.name, dict(alias.preset), dict(alias.rename)) for alias in entry.aliases
        ],
        "plain": plain,
        "called": called,
    }


def _reference(value: Any) -> tuple[str, Any]:
    """Functions are kept by name, so that tools sharing a check go on sharing it."""
    if isinstance(value, By):
        return "by", (value.parameter, dict(value.choices))
    if callable(value):
        return "function", f"{value.__module__}:{value.__qualname__}"
    return ("frozenset", sorted(value)) if isinstance(value, frozenset) else ("value", value)


_STANDINS: dict[tuple[str, str], Callable[..., Any]] = {}


def _entry(saved: dict[str, Any]) -> ToolEntry:
    spec = Spec(saved["description"], saved["parameters"], wants_context=saved["wants_context"])
    real = Lazy(lambda: _load_entry(saved["module"], saved["name"]))

    def load() -> Callable[..., Any]:
        spec.converters = real().spec().converters
        return real().load()

    called = {
        name: _restored(name, kind, value, real) for name, (kind, value) in saved["called"].items()
    }
    aliases = tuple(Alias(*alias) for alias in saved["aliases"])
    return ToolEntry(
        saved["name"],
        saved["toolset"],
        Lazy(load),
        Lazy(lambda: spec),
        aliases=aliases,
        **saved["plain"],
        **called,
    )


def _restored(name: str, kind: str, value: Any, real: Lazy[ToolEntry]) -> Any:
    if kind == "function":
        return _STANDINS.setdefault(
            (name, value), lambda *arguments: getattr(real(), name)(*arguments)
        )
    if kind == "by":
        return By(*value)
    return frozenset(value) if kind == "frozenset" else value


def _load_entry(module: str, name: str) -> ToolEntry:
    for entry in _declared(importlib.import_module(module)):
        if entry.name == name:
            return entry
    raise ImportError(f"{module} no longer declares {name!r}; start again")
