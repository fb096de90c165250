"""Find the built-in tools: syntax trees say which modules declare one, and only those are imported.

What was found is remembered in a small file, so that a later start imports no tool at all. The
file is believed only while every source file of the package has the size and time it had.
"""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType
from typing import NamedTuple

from hermes.base.optional import load
from hermes.base.text import harmless
from hermes.runtime import remembered
from hermes.runtime.declare import entry_attached
from hermes.runtime.entry import ToolEntry
from hermes.runtime.registry import registry
from hermes.runtime.remembered import Signature

_VERSION = 2


class Discovery(NamedTuple):
    """The entries that were found, and the files that could not be used with the reason."""

    entries: list[ToolEntry]
    problems: list[tuple[str, str]]


def discover(package: ModuleType, cache: str | None = None) -> Discovery:
    """Return the tools of a package whose folders are toolsets and whose files are tools."""
    # A start should not load pathlib, which costs as much as reading all that is remembered.
    folder = os.path.dirname(str(package.__file__))  # noqa: PTH120
    signature = _signature(os.path.dirname(folder))  # noqa: PTH120
    known = remembered.read(cache, signature) if cache else None
    if known is not None:
        return Discovery(known, [])
    found, problems = _imported(package.__name__, folder)
    if cache and not problems:
        remembered.write(cache, signature, found)
    return Discovery([entry for _, entry in found], problems)


def _imported(
    package: str, folder: str
) -> tuple[list[tuple[str, ToolEntry]], list[tuple[str, str]]]:
    declares_tool = load("hermes.runtime.declarations").declares_tool
    found: list[tuple[str, ToolEntry]] = []
    problems: list[tuple[str, str]] = []
    for path in sorted(load("pathlib").Path(folder).glob("*/*.py")):
        name = f"{package}.{path.parent.name}.{path.stem}"
        try:
            if path.stem != "__init__" and declares_tool(path.read_text(encoding="utf-8")):
                found.extend((name, entry) for entry in _declared(name))
        except (Exception, SystemExit) as error:  # one broken file must not hide the others
            problems.append((str(path), f"{type(error).__name__}: {harmless(str(error))}"))
    return found, problems


def _declared(name: str) -> list[ToolEntry]:
    """Import a module and return its tools: what @tool left there, and what it registered raw."""
    before = {id(entry) for entry in registry.entries()}
    was_loaded = name in sys.modules
    entries = attached(importlib.import_module(name))
    known = before | {id(entry) for entry in entries}
    entries += [entry for entry in registry.entries() if id(entry) not in known]
    for entry in entries:
        entry.spec()
    if not entries and not was_loaded:
        raise ImportError("it declares a tool but registers none; put @tool on it")
    return entries


def attached(module: ModuleType) -> list[ToolEntry]:
    """Return the entries that @tool left on a module's own functions and classes."""
    found = ((value, entry_attached(value)) for value in vars(module).values())
    return [entry for value, entry in found if entry and value.__module__ == module.__name__]


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
    return sorted(found)
