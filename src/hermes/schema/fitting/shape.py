"""Answer whether a value has the shape a schema asks for, without a compiled validator.

The answer errs on one side only: a value that a validator accepts always fits. Keywords not known
here (``pattern``, ``format``, ``not``, ``if``…) never make a value unfit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from hermes.base.messages import Json

MAX_DEPTH = 64
_MAX_HOPS = 16
_MAX_STEPS = 200_000
_MAX_KEY = 256

_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list, tuple),
    "object": (dict,),
}


class TooMuch(Exception):
    """Stop fitting a value that costs more than the answer is worth."""


def is_type(value: Json, name: str, *, whole_floats: bool = False) -> bool:
    """Tell whether a value is of a JSON Schema type; ``whole_floats`` lets 5.0 be an integer."""
    if name in ("integer", "number"):
        if isinstance(value, int):
            return not isinstance(value, bool)
        if not isinstance(value, float) or not math.isfinite(value):
            return False
        return name == "number" or (whole_floats and value.is_integer())
    kinds = _PYTHON_TYPES.get(name)
    return kinds is None or isinstance(value, kinds)


def types_of(schema: dict[str, Json]) -> list[str]:
    """Return the types a schema names itself, null included where OpenAPI says ``nullable``."""
    given = schema.get("type")
    names = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    if names and schema.get("nullable") is True and "null" not in names:
        return [*names, "null"]
    return names


def branches_of(schema: dict[str, Json]) -> list[Json]:
    """Return the alternatives of a schema: its ``anyOf``, else its ``oneOf``."""
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and branches:
            return branches
    return []


def same(one: Json, other: Json) -> bool:
    """Compare as JSON does: true is not 1, but 1 is 1.0."""
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    return bool(one == other)


def matches(pattern: str, key: str) -> bool:
    """Tell whether a ``patternProperties`` pattern may apply to a key; unsure means yes."""
    if len(key) > _MAX_KEY:
        return True
    compiled = _compiled(pattern)
    return compiled is None or compiled.search(key) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


def member_schemas(schema: dict[str, Json], key: str) -> list[Json] | None:
    """Return the schemas for one key of an object, or None where the key is not allowed."""
    properties, patterns = mapping(schema, "properties"), mapping(schema, "patternProperties")
    found = [properties[key]] if key in properties else []
    found += [sub for pattern, sub in patterns.items() if matches(pattern, key)]
    if found:
        return found
    extra = schema.get("additionalProperties", True)
    return None if extra is False else [extra]


def item_schemas(schema: dict[str, Json]) -> tuple[list[Json], Json]:
    """Return the schemas of the first items and the schema of all further ones."""
    prefix, rest = schema.get("prefixItems"), schema.get("items", True)
    if isinstance(rest, list):
        return rest, schema.get("additionalItems", True)
    return (prefix if isinstance(prefix, list) else []), rest


def mapping(schema: dict[str, Json], keyword: str) -> dict[str, Json]:
    """Return a keyword's object, or an empty one where it is missing or malformed."""
    found = schema.get(keyword)
    return found if isinstance(found, dict) else {}


class Shape:
    """Resolve the local references of one root schema and test values, within a bound of steps."""

    def __init__(self, root: Json) -> None:
        self.root = root
        self.steps = 0

    def spend(self) -> None:
        """Count one step; raise TooMuch past the bound."""
        self.steps += 1
        if self.steps > _MAX_STEPS:
            raise TooMuch

    def resolve(self, schema: dict[str, Json]) -> Json | None:
        """Return what a local ``$ref`` names, or None when there is none or it leads nowhere."""
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        found: Any = self.root
        for part in reference[1:].split("/")[1:]:
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and name in found:
                found = found[name]
            elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
                found = found[int(name)]
            else:
                return None
        return found if isinstance(found, (dict, bool)) else None

    def names(self, schema: Json, hops: int = 0) -> Iterator[str]:
        """Yield every property name a schema mentions for this object, in any of its parts."""
        if not isinstance(schema, dict) or hops > _MAX_HOPS:
            return
        self.spend()
        yield from mapping(schema, "properties")
        yield from self.names(self.resolve(schema), hops + 1)
        for keyword in ("allOf", "anyOf", "oneOf"):
            parts = schema.get(keyword)
            for part in parts if isinstance(parts, list) else []:
                yield from self.names(part, hops + 1)
        for keyword in ("if", "then", "else"):
            yield from self.names(schema.get(keyword), hops + 1)

    def fits(
        self, schema: Json, value: Json, *, whole: bool = False, depth: int = 0, hops: int = 0
    ) -> bool:
        """Tell whether a value may be valid; ``whole`` lets 5.0 stand for an integer."""
        if not isinstance(schema, dict):
            return schema is not False
        self.spend()
        if depth > MAX_DEPTH or hops > _MAX_HOPS:
            return True
        return (
            _scalar_fits(schema, value, whole=whole)
            and self._parts_fit(schema, value, whole=whole, depth=depth, hops=hops + 1)
            and self._inside_fits(schema, value, whole=whole, depth=depth + 1)
        )

    def _parts_fit(
        self, schema: dict[str, Json], value: Json, *, whole: bool, depth: int, hops: int
    ) -> bool:
        def fits(part: Json) -> bool:
            return self.fits(part, value, whole=whole, depth=depth, hops=hops)

        if "$ref" in schema:
            target = self.resolve(schema)
            if target is not None and not fits(target):
                return False
        parts = schema.get("allOf")
        if isinstance(parts, list) and not all(map(fits, parts)):
            return False
        for keyword in ("anyOf", "oneOf"):
            branches = schema.get(keyword)
            if isinstance(branches, list) and branches and not any(map(fits, branches)):
                return False
        return True

    def _inside_fits(
        self, schema: dict[str, Json], value: Json, *, whole: bool, depth: int
    ) -> bool:
        if isinstance(value, dict):
            required = schema.get("required")
            if isinstance(required, list) and any(name not in value for name in required):
                return False
            for key, item in value.items():
                subs = member_schemas(schema, key) if isinstance(key, str) else []
                if subs is None:
                    return False
                if not all(self.fits(sub, item, whole=whole, depth=depth) for sub in subs):
                    return False
        elif isinstance(value, (list, tuple)):
            prefix, rest = item_schemas(schema)
            for index, item in enumerate(value):
                sub = prefix[index] if index < len(prefix) else rest
                if sub is not True and not self.fits(sub, item, whole=whole, depth=depth):
                    return False
        return True


def _scalar_fits(schema: dict[str, Json], value: Json, *, whole: bool) -> bool:
    types = types_of(schema)
    if types and not any(is_type(value, name, whole_floats=whole) for name in types):
        return False
    if "const" in schema and not same(schema["const"], value):
        return value is None and schema.get("nullable") is True
    options = schema.get("enum")
    if isinstance(options, list) and not any(same(option, value) for option in options):
        return value is None and schema.get("nullable") is True
    if isinstance(value, str):
        return _within(schema, len(value), "minLength", "maxLength")
    if isinstance(value, (list, tuple)):
        return _within(schema, len(value), "minItems", "maxItems")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _within(schema, value, "minimum", "maximum")
    return True


def _within(schema: dict[str, Json], size: int | float, least: str, most: str) -> bool:
    low, high = schema.get(least), schema.get(most)
    if isinstance(low, (int, float)) and size < low:
        return False
    return not (isinstance(high, (int, float)) and size > high)
