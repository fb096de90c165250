"""Write a JSON Schema as the annotation that a Python programmer would give a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PLAIN = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
    "array": "list[Any]",
}
_MOST_CHOICES = 20


def annotation(schema: Any) -> str:
    """Return the annotation of a value that fits a schema."""
    if not isinstance(schema, Mapping):
        return "Any"
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    choices = schema.get("enum")
    if isinstance(choices, list) and 0 < len(choices) <= _MOST_CHOICES:
        return f"Literal[{', '.join(map(repr, choices))}]"
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return _either(annotation(each) for each in schema[key])
    kind = schema.get("type")
    if isinstance(kind, list):
        return _either(annotation({**schema, "type": each}) for each in kind)
    if kind == "array" and schema.get("items"):
        return f"list[{annotation(schema['items'])}]"
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"dict[str, {annotation(schema['additionalProperties'])}]"
    return _PLAIN.get(kind, "Any") if isinstance(kind, str) else "Any"


def _either(kinds: Any) -> str:
    found = list(dict.fromkeys(kinds))
    return "Any" if "Any" in found else " | ".join(found)
