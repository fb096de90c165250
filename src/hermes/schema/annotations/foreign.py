"""Types that bring their own schema: pydantic models and types, msgspec Structs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from hermes.base.optional import load
from hermes.schema.annotations.conversion import Form
from hermes.schema.annotations.plain import BadAnnotation, Convert, Schema, join

# Asked for a name and how to make its schema; answers the name it got under ``$defs``.
Define = Callable[[str, Callable[[], Schema]], str]

_PLACES = ("#/$defs/", "#/definitions/")
_MAPS = frozenset(("properties", "patternProperties", "dependentSchemas"))
_LISTS = frozenset(("anyOf", "oneOf", "allOf", "prefixItems"))
_SINGLE = frozenset(
    ("items", "additionalProperties", "not", "propertyNames", "contains", "if", "then", "else")
)
_DROPPED = frozenset(("title", "discriminator", "$defs", "definitions"))


def is_foreign(kind: Any) -> bool:
    """Say whether a class is pydantic's or msgspec's to describe."""
    return any(
        hasattr(kind, name)
        for name in (
            "__struct_fields__",
            "__get_pydantic_core_schema__",
            "__pydantic_core_schema__",
            "__get_pydantic_json_schema__",
        )
    )


def foreign(annotation: Any, define: Define) -> Form:
    """Return the form of a type that pydantic or msgspec describes and builds.

    Raises:
        BadAnnotation: they cannot describe it.
    """
    try:
        schema, convert = _described(annotation)
    except (AttributeError, NameError, RuntimeError, TypeError, ValueError) as error:
        name = getattr(annotation, "__name__", str(annotation))
        reason = " ".join(str(error).split())
        raise BadAnnotation(
            f"{name} has no JSON Schema: {reason}", "Give its fields types that JSON can hold."
        ) from error
    return Form(_inlined(schema, define), convert)


def _described(annotation: Any) -> tuple[Schema, Convert]:
    if hasattr(getattr(annotation, "__origin__", annotation), "__struct_fields__"):
        msgspec: Any = sys.modules["msgspec"]
        schema = msgspec.json.schema(annotation)
        return schema, lambda value: msgspec.convert(value, annotation)
    if hasattr(annotation, "model_json_schema"):
        return annotation.model_json_schema(), _validating(annotation.model_validate)
    adapter = load("pydantic", extra="pydantic").TypeAdapter(annotation)
    return adapter.json_schema(), _validating(adapter.validate_python)


def _validating(validate: Convert) -> Convert:
    def convert(value: Any) -> Any:
        try:
            return validate(value)
        except ValueError as error:
            raise ValueError(_in_words(error)) from error

    return convert


def _in_words(error: ValueError) -> str:
    """Return pydantic's list of problems as one line."""
    problems = getattr(error, "errors", None)
    if problems is None:
        return str(error)
    lines = []
    for problem in problems(include_url=False, include_context=False):
        place = ".".join(map(str, problem["loc"]))
        lines.append(f"{place}: {problem['msg']}" if place else str(problem["msg"]))
    return "; ".join(lines)


def _inlined(schema: Schema, define: Define) -> Schema:
    """Return a schema without titles and with references only where a type contains itself."""
    definitions = {**schema.get("definitions", {}), **schema.get("$defs", {})}
    recursive = {name for name in definitions if _reaches(definitions[name], name, definitions)}
    inlined: Schema = _Inliner(definitions, recursive, define).walk(schema)
    return inlined


def _target(node: Any) -> str | None:
    reference = node.get("$ref") if isinstance(node, dict) else None
    for place in _PLACES:
        if isinstance(reference, str) and reference.startswith(place):
            return reference[len(place) :].replace("~1", "/").replace("~0", "~")
    return None


def _reaches(node: Any, wanted: str, definitions: Schema) -> bool:
    """Say whether following the references out of a node leads to a definition."""
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, list):
            waiting += current
        if not isinstance(current, dict):
            continue
        waiting += current.values()
        name = _target(current)
        if name == wanted:
            return True
        if name is not None and name not in seen:
            seen.add(name)
            waiting.append(definitions.get(name))
    return False


class _Inliner:
    def __init__(self, definitions: Schema, recursive: set[str], define: Define) -> None:
        self._definitions = definitions
        self._recursive = recursive
        self._define = define

    def walk(self, node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        name = _target(node)
        rest = {key: value for key, value in node.items() if key != "$ref" or name is None}
        result: Schema = {}
        if name in self._recursive:
            defined = self._define(name, lambda: self.walk(self._definitions[name]))
            result["$ref"] = f"#/$defs/{defined}"
        elif name is not None:
            result.update(self.walk(self._definitions[name]))
        for key, value in rest.items():
            self._put(result, key, value)
        return _portable(result)

    def _put(self, result: Schema, key: str, value: Any) -> None:
        if key in _DROPPED or (key == "default" and value is None):
            return
        if key in _MAPS:
            value = {name: self.walk(item) for name, item in value.items()}
        elif key in _LISTS:
            value = [self.walk(item) for item in value]
        elif key in _SINGLE:
            value = self.walk(value)
        result[key] = value


def _portable(schema: Schema) -> Schema:
    """Return a schema that means the same in Draft 7, with unions in the form we write."""
    if len(schema.get("allOf", ())) == 1:
        (only,) = schema.pop("allOf")
        schema = {**only, **schema}
    if "prefixItems" in schema:
        places = schema.pop("prefixItems")
        rest = schema.pop("items", None)
        if rest is False or schema.get("maxItems") == len(places):
            schema["maxItems"] = len(places)
            schema["items"] = join(places)
        elif rest is not None:
            schema["items"] = join([*places, rest])
    if "anyOf" in schema:
        schema = {**join(schema.pop("anyOf")), **schema}
    return schema
