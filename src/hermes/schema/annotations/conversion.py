"""What an annotation becomes: a JSON Schema and the way from a JSON value to a Python one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

Schema = dict[str, Any]
Convert = Callable[[Any], Any]

MISSING: Any = type("Missing", (), {"__repr__": lambda _: "MISSING", "__slots__": ()})()
_SCALARS = frozenset(("string", "integer", "number", "boolean"))
_PYTHON: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list, tuple),
    "object": (dict,),
}


class BadAnnotation(Exception):
    """Say what is wrong with an annotation; whoever knows the function adds its name."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class Form(NamedTuple):
    """A schema, and the function that turns a fitting JSON value into the annotated type."""

    schema: Schema
    convert: Convert | None = None


def shown(value: object) -> str:
    """Return a value as it may stand in an error message."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


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
    kinds = [kind] if isinstance(kind, str) else kind
    if "const" not in schema and kinds and set(kinds) <= _SCALARS | {"null"}:
        result = {**schema, "type": [*(name for name in kinds if name != "null"), "null"]}
    elif kind is None and set(schema) <= {"enum", "description"}:
        result = dict(schema)
    else:
        return {"anyOf": [schema, {"type": "null"}]}
    if "enum" in schema:
        result["enum"] = [*(item for item in schema["enum"] if item is not None), None]
    return result


def either(forms: Sequence[Form]) -> Form:
    """Return the form of a union; its converter takes the first branch that the value fits."""
    schema = join(form.schema for form in forms)
    if all(form.convert is None for form in forms):
        return Form(schema)
    valued = [form.convert for form in forms if form.schema != {"type": "null"}]
    if len(valued) == 1:
        return Form(schema, _unless_none(valued[0]))

    def convert(value: Any) -> Any:
        reasons = []
        for branch, inner in forms:
            if not fits(branch, value):
                continue
            if inner is None:
                return value
            try:
                return inner(value)
            except ValueError as error:
                reasons.append(str(error))
        raise ValueError("; ".join(reasons) or f"{shown(value)} fits none of the allowed forms")

    return Form(schema, convert)


def _unless_none(convert: Convert | None) -> Convert | None:
    return convert and (lambda value: None if value is None else convert(value))


def fits(schema: Schema, value: Any) -> bool:
    """Say whether a JSON value has a schema's outline: types, fixed values and keys."""
    if "anyOf" in schema and not any(fits(branch, value) for branch in schema["anyOf"]):
        return False
    if "enum" in schema and not any(_same(item, value) for item in schema["enum"]):
        return False
    if "const" in schema and not _same(schema["const"], value):
        return False
    kind = schema.get("type")
    if kind is not None and not any(
        _is(name, value) for name in ([kind] if isinstance(kind, str) else kind)
    ):
        return False
    if isinstance(value, dict):
        return _object_fits(schema, value)
    if isinstance(value, (list, tuple)):
        low, high = schema.get("minItems", 0), schema.get("maxItems", len(value))
        items = schema.get("items", {})
        return low <= len(value) <= high and all(fits(items, item) for item in value)
    return True


def _object_fits(schema: Schema, value: dict[str, Any]) -> bool:
    if any(key not in value for key in schema.get("required", ())):
        return False
    properties = schema.get("properties", {})
    rest = schema.get("additionalProperties", True)
    for key, item in value.items():
        if key in properties:
            if not fits(properties[key], item):
                return False
        elif rest is False or (isinstance(rest, dict) and not fits(rest, item)):
            return False
    return True


def _same(first: Any, second: Any) -> bool:
    return bool(first == second) and isinstance(first, bool) == isinstance(second, bool)


def _is(kind: str, value: Any) -> bool:
    if kind == "integer":
        whole = isinstance(value, float) and value.is_integer()
        return whole or (isinstance(value, int) and not isinstance(value, bool))
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _PYTHON.get(kind, ()))
