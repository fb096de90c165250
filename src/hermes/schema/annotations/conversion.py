"""What an annotation becomes: a JSON Schema and the way from a JSON value to a Python one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from hermes.schema.annotations.plain import Convert, Schema, join

_PYTHON: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list, tuple),
    "object": (dict,),
}


class Form(NamedTuple):
    """A schema, and the function that turns a fitting JSON value into the annotated type."""

    schema: Schema
    convert: Convert | None = None


def shown(value: object) -> str:
    """Return a value as it may stand in an error message."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


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
