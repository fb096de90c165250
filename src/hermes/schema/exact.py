"""Compile a schema into one very fast question: does this value fit exactly as it stands?

Yes means that a validator finds no problem and coercion changes nothing. No means only that the
slow path must look; a schema with keywords not covered here compiles to None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hermes.base.messages import Json

Check = Callable[[object], bool]

_NOTES = {"title", "description", "default", "examples", "format", "deprecated", "readOnly"} | {
    "writeOnly",
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
}
_KEYWORDS = {
    "string": {"minLength", "maxLength"},
    "integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "boolean": set(),
    "null": set(),
    "array": {"items", "minItems", "maxItems"},
    "object": {"properties", "required", "additionalProperties"},
}
_PYTHON: dict[str, type] = {"string": str, "integer": int, "boolean": bool, "null": type(None)}
_FREE_FORMATS = frozenset({"path", "file-path", "directory-path", "password", "binary", "int32"})
_MAX_DEPTH = 16
_INFINITY = float("inf")


def exact(schema: Json) -> Check | None:
    """Return a function that says yes to values fitting the schema exactly, or None."""
    return _compile(schema, 0)


def _compile(schema: Json, depth: int) -> Check | None:
    if schema is True:
        return _is_json
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return None
    keywords = schema.keys() - _NOTES
    if not keywords:
        return _is_json
    if "enum" in keywords or "const" in keywords:
        return _options(schema, keywords)
    if keywords == {"anyOf"} and isinstance(schema["anyOf"], list):
        return _any(_compile(branch, depth + 1) for branch in schema["anyOf"])
    if keywords == {"oneOf"} and _are_disjoint(schema["oneOf"]):
        return _any(_compile(branch, depth + 1) for branch in schema["oneOf"])
    types = schema.get("type")
    if isinstance(types, str):
        return _typed(types, schema, keywords - {"type"}, depth)
    if isinstance(types, list) and all(isinstance(name, str) for name in types):
        return _any(
            _typed(name, *_for_type(schema, keywords, types, name), depth) for name in types
        )
    return None


def _for_type(
    schema: dict[str, Json], keywords: set[str], types: list[str], name: str
) -> tuple[dict[str, Json], set[str]]:
    """Leave out the keywords that only concern the other types of a list of types."""
    others = set().union(*(_KEYWORDS.get(other, set()) for other in types if other != name))
    own = keywords - {"type"} - (others - _KEYWORDS.get(name, set()))
    return schema, own


def _are_disjoint(branches: Json) -> bool:
    if not isinstance(branches, list):
        return False
    types = [branch.get("type") if isinstance(branch, dict) else None for branch in branches]
    if not all(isinstance(name, str) for name in types) or {"integer", "number"} <= set(types):
        return False
    return len(set(types)) == len(types)


def _any(branches: Iterable[Check | None]) -> Check | None:
    checks = []
    for branch in branches:
        if branch is None:
            return None
        checks.append(branch)
    kinds = [_KINDS.get(check) for check in checks]
    if all(kinds):
        allowed = frozenset(kinds)
        return lambda value: type(value) in allowed
    if len(checks) == 2:
        one, other = checks
        return lambda value: one(value) or other(value)
    return (lambda value: any(check(value) for check in checks)) if checks else None


def _options(schema: dict[str, Json], keywords: set[str]) -> Check | None:
    if not keywords <= {"type", "enum", "const"} or len(keywords & {"enum", "const"}) != 1:
        return None
    options = [schema["const"]] if "const" in schema else schema["enum"]
    types = schema.get("type")
    names = [types] if isinstance(types, str) else types
    if not isinstance(options, list) or not (names is None or isinstance(names, list)):
        return None
    wanted = None if names is None else [_PYTHON.get(name) for name in map(str, names)]
    table: dict[type, set[Json]] = {}
    for option in options:
        kind = type(option)
        if kind not in (str, int, bool, type(None)):
            return None
        if wanted is None or kind in wanted:
            table.setdefault(kind, set()).add(option)
    if table.keys() == {str}:
        words = frozenset(table[str])
        return lambda value: type(value) is str and value in words
    return lambda value: type(value) in table and value in table[type(value)]


def _typed(name: str, schema: dict[str, Json], keywords: set[str], depth: int) -> Check | None:
    if not keywords <= _KEYWORDS.get(name, set()) or name not in _KEYWORDS:
        return None
    if name == "object":
        return _object(schema, depth)
    if name == "array":
        return _array(schema, depth)
    if name == "string" and schema.get("format", "path") not in _FREE_FORMATS:
        return None
    if not keywords:
        return _PLAIN[name]
    return _string(schema) if name == "string" else _bounded(_PLAIN[name], schema)


def _is_string(value: object) -> bool:
    return type(value) is str


def _is_integer(value: object) -> bool:
    return type(value) is int


def _is_boolean(value: object) -> bool:
    return value is True or value is False


def _is_null(value: object) -> bool:
    return value is None


def _is_number(value: object) -> bool:
    return type(value) is int or (type(value) is float and -_INFINITY < value < _INFINITY)


_PLAIN: dict[str, Check] = {
    "string": _is_string,
    "integer": _is_integer,
    "boolean": _is_boolean,
    "null": _is_null,
    "number": _is_number,
}
_KINDS: dict[Check, type] = {_PLAIN[name]: kind for name, kind in _PYTHON.items()}


def _is_json(value: object, depth: int = 0) -> bool:
    """Say yes to any JSON value, whatever its shape."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return True
    if isinstance(value, float):
        return -_INFINITY < value < _INFINITY
    if depth > 2 * _MAX_DEPTH:
        return False
    if type(value) is list:
        return all(_is_json(item, depth + 1) for item in value)
    if type(value) is dict:
        return all(type(k) is str and _is_json(item, depth + 1) for k, item in value.items())
    return False


def _span(schema: dict[str, Json], least: str, most: str) -> tuple[float, float] | None:
    low, high = schema.get(least, 0), schema.get(most, _INFINITY)
    numbers = type(low) in (int, float) and type(high) in (int, float)
    return (low, high) if numbers else None


def _string(schema: dict[str, Json]) -> Check | None:
    span = _span(schema, "minLength", "maxLength")
    if span is None:
        return None
    low, high = span
    return lambda value: type(value) is str and low <= len(value) <= high


def _bounded(plain: Check, schema: dict[str, Json]) -> Check | None:
    low, high = schema.get("minimum", -_INFINITY), schema.get("maximum", _INFINITY)
    above = schema.get("exclusiveMinimum", -_INFINITY)
    below = schema.get("exclusiveMaximum", _INFINITY)
    if any(type(limit) not in (int, float) for limit in (low, high, above, below)):
        return None

    def check(value: Json) -> bool:
        return plain(value) and low <= value <= high and above < value < below

    return check


def _array(schema: dict[str, Json], depth: int) -> Check | None:
    item, span = (
        _compile(schema.get("items", True), depth + 1),
        _span(schema, "minItems", "maxItems"),
    )
    if item is None or span is None:
        return None
    low, high = span
    kind = _KINDS.get(item)

    def check(value: object) -> bool:
        if type(value) is not list or not low <= len(value) <= high:
            return False
        return all(type(member) is kind or item(member) for member in value)

    return check


def _object(schema: dict[str, Json], depth: int) -> Check | None:
    properties, required = schema.get("properties", {}), schema.get("required", [])
    extra = schema.get("additionalProperties", not properties)
    if not isinstance(properties, dict) or not isinstance(required, list):
        return None
    if not all(isinstance(name, str) for name in required):
        return None
    tests: dict[str, Check] = {}
    for name, sub in properties.items():
        test = _compile(sub, depth + 1)
        if test is None:
            return None
        tests[name] = test
    if extra is False:
        return _closed(tests, required) if set(required) <= tests.keys() else None
    further = _compile(extra, depth + 1)
    return None if further is None else _open(tests, required, further)


def _closed(tests: dict[str, Check], required: list[str]) -> Check:
    kinds = {name: _KINDS.get(test) for name, test in tests.items()}
    total, needed = len(tests), frozenset(required)
    pairs = tuple(kinds.items())

    def check(value: object) -> bool:
        if type(value) is not dict:
            return False
        try:
            if len(value) == total:
                for key, kind in pairs:
                    if type(value[key]) is not kind and not tests[key](value[key]):
                        return False
                return True
            for key, item in value.items():
                if type(item) is not kinds[key] and not tests[key](item):
                    return False
        except KeyError:
            return False
        return value.keys() >= needed

    return check


def _open(tests: dict[str, Check], required: list[str], further: Check) -> Check:
    needed = frozenset(required)

    def check(value: object) -> bool:
        if type(value) is not dict:
            return False
        for key, item in value.items():
            if type(key) is not str or not tests.get(key, further)(item):
                return False
        return value.keys() >= needed

    return check
