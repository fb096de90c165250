"""Turn entries into the plain values that listings print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes.app import Runtime
    from hermes.runtime.offer import ToolStatus


def listed(status: ToolStatus) -> dict[str, Any]:
    """Return what a listing says of a tool."""
    entry = status.entry
    return {
        "name": entry.name,
        "toolset": entry.toolset,
        "available": status.available,
        "reason": status.reason,
        "aliases": [alias.name for alias in entry.aliases],
        "permissions": list(entry.all_permissions()),
        "description": entry.description,
        "effects": None if entry.effects is None else list(entry.all_effects()),
        "source": entry.source,
    }


def shown(status: ToolStatus) -> dict[str, Any]:
    """Return everything a person may ask about one tool."""
    entry = status.entry
    return {
        **listed(status),
        "parameters": entry.parameters,
        "timeout_seconds": entry.timeout_seconds,
        "max_result_size_chars": entry.max_result_size_chars,
        "requires_env": list(entry.requires_env),
        "requires_bin": list(entry.requires_bin),
        "requires_extra": entry.requires_extra,
        "tags": list(entry.tags),
    }


def parameters_of(schema: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return name, type, whether it is needed, and help of each parameter."""
    required = set(schema.get("required", ()))
    return [
        (
            name,
            type_of(part),
            "yes" if name in required else _default(part),
            str(part.get("description", "")),
        )
        for name, part in schema.get("properties", {}).items()
    ]


def type_of(schema: Mapping[str, Any]) -> str:
    """Return a JSON Schema's type in few words."""
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"] if value is not None)
    if "const" in schema:
        return str(schema["const"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            kinds = dict.fromkeys(type_of(part) for part in schema[key])
            return " | ".join(kind for kind in kinds if kind != "null")
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        return " | ".join(type_of({**schema, "type": one}) for one in kind if one != "null")
    if kind == "array" and isinstance(schema.get("items"), Mapping):
        return f"list of {type_of(schema['items'])}"
    return str(kind)


def first_line(text: str) -> str:
    """Return the first sentence or line of a description."""
    line = text.strip().partition("\n")[0]
    head, stop, _ = line.partition(". ")
    return head + stop.strip()


def toolset_names(runtime: Runtime, toolset: str | None) -> frozenset[str] | None:
    """Return the names of a toolset's tools, or None when no toolset is asked for."""
    return None if toolset is None else frozenset(runtime.toolsets.resolve(toolset))


def _default(schema: Mapping[str, Any]) -> str:
    value = schema.get("default")
    return "" if value in (None, "", [], {}) else f"={value}"
