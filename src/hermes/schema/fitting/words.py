"""Say in plain words where a value sits, what it is, and what a schema expects."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hermes.base.json import encode
from hermes.base.messages import Json

Path = tuple[str | int, ...]

_NAMES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
_PLURALS = {
    "string": "strings",
    "integer": "integers",
    "number": "numbers",
    "boolean": "true or false values",
    "array": "lists",
    "object": "objects",
}
_FORMATS = {
    "date-time": "a date and time such as 2025-01-31T09:30:00Z",
    "date": "a date such as 2025-01-31",
    "uuid": "a UUID",
    "uri": "a URL such as https://example.org/page",
    "email": "an e-mail address",
}
_MAX_CHOICES = 12
_MAX_NAME = 80

Resolve = Callable[[dict[str, Json]], Json | None]


def _nowhere(_schema: dict[str, Json]) -> Json | None:
    return None


def place(path: Sequence[str | int]) -> str:
    """Return a path as people write it, ``items[2].name``, with endless names cut."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            name = part if len(part) <= _MAX_NAME else f"{part[:_MAX_NAME]}…"
            text += f".{name}" if text else name
    return text


def shown(value: Json, *, limit: int = 60) -> str:
    """Return a value as short JSON-like text, never more work than the limit needs."""
    text = ""
    for piece in _pieces(value, limit):
        text += piece
        if len(text) > limit:
            return text[: limit - 1] + "…"
    return text


def _pieces(value: Json, limit: int, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield encode(value[: limit + 1])
    elif isinstance(value, dict):
        yield from _enclosed("{}", (_member(item, limit, depth) for item in value.items()), depth)
    elif isinstance(value, (list, tuple)):
        yield from _enclosed("[]", (_pieces(item, limit, depth + 1) for item in value), depth)
    elif isinstance(value, float) and not math.isfinite(value):
        yield {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    elif isinstance(value, int) and value.bit_length() > 1_000:
        yield f"an integer of about {value.bit_length() * 3 // 10} digits"
    elif value is None or isinstance(value, (bool, int, float)):
        yield encode(value)
    else:
        yield f"a Python {type(value).__name__}"


def _member(item: tuple[Any, Json], limit: int, depth: int) -> Iterator[str]:
    key, value = item
    yield f"{encode(str(key)[: limit + 1])}: "
    yield from _pieces(value, limit, depth + 1)


def _enclosed(brackets: str, members: Iterator[Iterator[str]], depth: int) -> Iterator[str]:
    yield brackets[0]
    for index, member in enumerate(members):
        if depth > 16:
            yield "…"
            break
        if index:
            yield ", "
        yield from member
    yield brackets[1]


def expected(schema: Json, *, resolve: Resolve = _nowhere, depth: int = 0) -> str:
    """Return what a schema asks for: ``an integer from 1 to 10``, ``a list of strings``.

    ``resolve`` returns the schema a local ``$ref`` names.
    """
    if not isinstance(schema, dict) or depth > 4:
        return "another value" if schema is False else "a value"
    target = resolve(schema)
    if target is not None:
        return expected(target, resolve=resolve, depth=depth + 1)
    if "const" in schema:
        return shown(schema["const"])
    if isinstance(schema.get("enum"), list):
        return choices(schema["enum"])
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and branches:
            return _joined(expected(sub, resolve=resolve, depth=depth + 1) for sub in branches)
    types = schema.get("type")
    if isinstance(types, list):
        return _joined(_of_type(name, schema) for name in types)
    return _of_type(types, schema)


def choices(values: Sequence[Json]) -> str:
    """Return ``one of "a", "b"``, cut after a dozen."""
    names = [shown(value) for value in values[:_MAX_CHOICES]]
    if len(names) == 1 and len(values) == 1:
        return names[0]
    more = f", … ({len(values)} in all)" if len(values) > _MAX_CHOICES else ""
    return f"one of {', '.join(names)}{more}"


def _joined(parts: Iterator[str]) -> str:
    unique = list(dict.fromkeys(parts))
    if len(unique) < 2:
        return "".join(unique) or "a value"
    return f"{', '.join(unique[:-1])} or {unique[-1]}"


def _of_type(name: Json, schema: dict[str, Json]) -> str:
    if name == "array":
        return "a list" + _items(schema.get("items")) + _bounds(schema, "minItems", "maxItems")
    if name == "string":
        words = _FORMATS.get(str(schema.get("format")), "a string")
        pattern = schema.get("pattern")
        matching = f" matching {pattern}" if isinstance(pattern, str) else ""
        return words + matching + _bounds(schema, "minLength", "maxLength", unit=" characters")
    if name in ("integer", "number"):
        return _NAMES[name] + _limits(schema)
    return _NAMES.get(str(name), "a value")


def _items(schema: Json) -> str:
    if not isinstance(schema, dict):
        return ""
    if isinstance(schema.get("enum"), list):
        return f" of {choices(schema['enum'])}"
    plural = _PLURALS.get(str(schema.get("type")))
    return f" of {plural}" if plural else ""


def _limits(schema: dict[str, Json]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    words = ""
    if low is not None and high is not None:
        words = f" from {shown(low)} to {shown(high)}"
    elif low is not None:
        words = f" of at least {shown(low)}"
    elif high is not None:
        words = f" of at most {shown(high)}"
    if "exclusiveMinimum" in schema:
        words += f" above {shown(schema['exclusiveMinimum'])}"
    if "exclusiveMaximum" in schema:
        words += f" below {shown(schema['exclusiveMaximum'])}"
    if "multipleOf" in schema:
        words += f" that is a multiple of {shown(schema['multipleOf'])}"
    return words


def _bounds(schema: dict[str, Json], least: str, most: str, *, unit: str = " items") -> str:
    low, high = schema.get(least), schema.get(most)
    if low and high is not None:
        return f" with {low} to {high}{unit}"
    if low:
        return f" with at least {low}{unit}"
    return f" with at most {high}{unit}" if high is not None else ""
