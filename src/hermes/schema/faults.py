"""Find what is wrong with a JSON Schema at a glance, without a validator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

_TYPES = frozenset({"string", "integer", "number", "boolean", "null", "array", "object"})
_DEEPEST = 60
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_ONES = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_SCALARS = (str, int, float, bool, type(None))


def schema_faults(schema: Any) -> list[str]:
    """Return sentences about what no validator could work with; empty for a sound schema."""
    return list(_faults(schema, "schema", schema, 0))


def _faults(schema: Any, place: str, root: Any, depth: int) -> Iterator[str]:
    if isinstance(schema, bool):
        return
    if depth > _DEEPEST:
        yield f"{place} is nested too deeply, or contains itself"
        return
    if not isinstance(schema, dict):
        yield f"{place} must be an object or a boolean, not {type(schema).__name__}"
        return
    for key, check in _CHECKS.items():
        if key in schema:
            fault = check(schema[key], root)
            if fault:
                yield f"{place}.{key} {fault}"
    yield from _inner(schema, place, root, depth + 1)


def _inner(schema: dict[str, Any], place: str, root: Any, depth: int) -> Iterator[str]:
    for key in _MAPS:
        inner = schema.get(key, {})
        if not isinstance(inner, dict):
            yield f"{place}.{key} must be an object"
            continue
        for name, part in inner.items():
            yield from _faults(part, f"{place}.{key}.{name}", root, depth)
    for key in _LISTS:
        inner = schema.get(key, [])
        if not isinstance(inner, (list, tuple)):
            yield f"{place}.{key} must be a list"
            continue
        for number, part in enumerate(inner):
            yield from _faults(part, f"{place}.{key}[{number}]", root, depth)
    for key in _ONES:
        if key in schema and not isinstance(schema[key], (list, tuple)):
            yield from _faults(schema[key], f"{place}.{key}", root, depth)


def _type(given: Any, _: Any) -> str | None:
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        return "must be a type's name or a list of them"
    wrong = [name for name in names if name not in _TYPES]
    return f"names no type of JSON Schema: {', '.join(wrong)}" if wrong else None


def _required(given: Any, _: Any) -> str | None:
    is_fine = isinstance(given, (list, tuple)) and all(isinstance(name, str) for name in given)
    return None if is_fine else "must be a list of names"


def _enum(given: Any, _: Any) -> str | None:
    if not isinstance(given, (list, tuple)):
        return "must be a list"
    return None if all(map(_is_json, given)) else "holds values that JSON does not have"


def _is_json(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_json, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    return isinstance(value, _SCALARS)


def _json(given: Any, _: Any) -> str | None:
    try:
        return None if _is_json(given) else "is not a JSON value"
    except RecursionError:
        return "contains itself"


def _pattern(given: Any, _: Any) -> str | None:
    if not isinstance(given, str):
        return "must be a text"
    try:
        re.compile(given)
    except re.error as error:
        return None if "\\p{" in given else f"is not a regular expression: {error}"
    return None


def _reference(given: Any, root: Any) -> str | None:
    if not isinstance(given, str):
        return "must be a text"
    if not given.startswith("#/"):
        return None
    found = root
    for step in given[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            return f"leads nowhere: {given}"
        found = found[name]
    return None


_CHECKS: dict[str, Callable[[Any, Any], str | None]] = {
    "type": _type,
    "required": _required,
    "enum": _enum,
    "const": _json,
    "default": _json,
    "examples": _json,
    "pattern": _pattern,
    "$ref": _reference,
}
