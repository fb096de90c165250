"""The toolsets of a runtime: the folders of tools, the presets, and the operator's own."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from hermes import tools
from hermes.base.optional import load
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.toolsets import Toolset, Toolsets
from hermes.tools.presets import PRESETS


def toolsets_of(registry: ToolRegistry, custom: Mapping[str, Any]) -> Toolsets:
    """Return the toolsets that the tools of a registry form."""
    made = Toolsets(
        registry.grouped,
        presets=PRESETS,
        aliases=registry.aliases,
        descriptions=_descriptions,
        tools=registry.names,
    )
    if custom:
        made.define(Toolset(name, **fields) for name, fields in custom.items())
    return made


@functools.cache
def _descriptions() -> dict[str, str]:
    """The toolsets' one-line descriptions, out of the docstrings of their folders."""
    found = {}
    for file in load("pathlib").Path(tools.__file__).parent.glob("*/__init__.py"):
        first = file.read_text(encoding="utf-8").lstrip().removeprefix('"""').split("\n", 1)[0]
        found[file.parent.name] = first.removesuffix('"""').strip()
    return found
