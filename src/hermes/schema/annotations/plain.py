"""Annotations whose JSON values need no conversion, and the names that all others share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import GenericAlias, NoneType, UnionType
from typing import Any, Literal, Union

Schema = dict[str, Any]
Convert = Callable[[Any], Any]

MISSING: Any = type("Missing", (), {"__repr__": lambda _: "MISSING", "__slots__": ()})()
_NAMES: dict[type, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
    list: "array",
    dict: "object",
}
_SCALARS = frozenset(("string", "integer", "number", "boolean"))
_NULLABLE = _SCALARS | {"null"}
_CHOICES = frozenset((str, int, bool, NoneType))
_DEFAULTS = _CHOICES | {type(MISSING)}
_INFINITE = float("inf")


class BadAnnotation(Exception):
    """Say what is wrong with an annotation; whoever knows the function adds its name."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def plain(annotation: Any) -> Schema | None:
    """Return the schema of an annotation that needs no converter, or None when it is not plain."""
    kind = type(annotation)
    if kind is type:
        name = _NAMES.get(annotation)
        return {"type": name} if name else {} if annotation is object else None
    if kind is GenericAlias:
        return _collection(annotation.__origin__, annotation.__args__)
    if annotation is Any:
        return {}
    if annotation is None:
        return {"type": "null"}
    origin = getattr(annotation, "__origin__", None)
    if origin is Union or kind is UnionType:
        return _union(annotation.__args__)
    if origin is Literal and _CHOICES.issuperset(map(type, annotation.__args__)):
        return fixed(annotation.__args__)
    return None


def _collection(origin: Any, args: tuple[Any, ...]) -> Schema | None:
    if origin is list and len(args) == 1:
        keyword, item = "items", plain(args[0])
    elif origin is dict and len(args) == 2 and args[0] is str:
        keyword, item = "additionalProperties", plain(args[1])
    else:
        return None
    if item is None:
        return None
    return {"type": _NAMES[origin], keyword: item} if item else {"type": _NAMES[origin]}


def _union(args: tuple[Any, ...]) -> Schema | None:
    if len(args) == 2 and args[1] is NoneType:
        schema = plain(args[0])
        return _nullable(schema) if schema else schema
    schemas: list[Schema] = []
    for arg in args:
        schema = plain(arg)
        if schema is None:
            return None
        schemas.append(schema)
    return join(schemas)


def is_plain(default: Any) -> bool:
    """Say whether a default is a JSON scalar as it stands, or missing."""
    kind = type(default)
    return kind in _DEFAULTS or (kind is float and abs(default) < _INFINITE)


def object_of(properties: dict[str, Schema], required: list[str], rest: Schema | bool) -> Schema:
    """Return the schema of an object with these properties; ``rest`` is for further ones."""
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = rest
    return schema


def fixed(values: Iterable[Any]) -> Schema:
    """Return the schema of a choice among values, with their type when they share one."""
    choices = list(values)
    kinds = {_NAMES.get(type(value)) or _kind(value) for value in choices}
    null = ["null"] if "null" in kinds else []
    kinds.discard("null")
    if len(kinds) != 1:
        return {"enum": choices}
    kind = kinds.pop()
    return {"type": [kind, *null] if null else kind, "enum": choices}


def _kind(value: Any) -> str:
    return next(_NAMES[base] for base in (str, int, float) if isinstance(value, base))


def join(schemas: Iterable[Schema]) -> Schema:
    """Return the schema of "one of these": a type list for bare scalars, else ``anyOf``."""
    branches: list[Schema] = []
    for schema in schemas:
        if not schema:
            return {}
        if schema not in branches:
            branches.append(schema)
    null: Schema = {"type": "null"}
    values = [branch for branch in branches if branch != null]
    nullable = len(values) < len(branches)
    if not values:
        return null
    if len(values) == 1:
        return _nullable(values[0]) if nullable else values[0]
    kinds = [branch.get("type") if len(branch) == 1 else None for branch in values]
    if all(isinstance(kind, str) and kind in _SCALARS for kind in kinds):
        if "number" in kinds:
            kinds = [kind for kind in kinds if kind != "integer"]
        kinds += ["null"] * nullable
        return {"type": kinds if len(kinds) > 1 else kinds[0]}
    return {"anyOf": [*values, null] if nullable else values}


def _nullable(schema: Schema) -> Schema:
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if "const" not in schema and _NULLABLE.issuperset(kinds):
        result = {**schema, "type": [name for name in kinds if name != "null"] + ["null"]}
    elif kind is None and schema.keys() <= {"enum", "description"}:
        result = dict(schema)
    else:
        return {"anyOf": [schema, {"type": "null"}]}
    if "enum" in schema:
        result["enum"] = [item for item in schema["enum"] if item is not None] + [None]
    return result
