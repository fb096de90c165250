"""Read a tool's parameters: a list of them, or a JSON Schema object."""

from __future__ import annotations

import re

from hermes.base.messages import Json
from hermes.runtime.yaml_tools.spec.fields import Fields, shown
from hermes.runtime.yaml_tools.spec.spec import LOCATIONS, Parameter

TYPES = ("string", "integer", "number", "boolean", "array", "object")
_SCHEMA_KEYS = (
    "type",
    "description",
    "default",
    "enum",
    "items",
    "properties",
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "pattern",
    "examples",
)
_OWN_KEYS = ("name", "required", "location", "allow_options")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")
_RESERVED = frozenset({"ctx"})


def read_parameters(tool: Fields) -> tuple[Parameter, ...]:
    """Return the parameters of a tool; none when the key is not there."""
    value = tool.value.get("parameters")
    if value is None:
        return ()
    if isinstance(value, dict):
        return _from_schema(tool.inner(value, "parameters"))
    if isinstance(value, list):
        return _from_list(tool, value)
    fix = "Write a list: `parameters: [{name: city, type: string, required: true}]`."
    tool.wrong("parameters", f"must be a list or a JSON Schema object, not {shown(value)}", fix)
    return ()


def _from_list(tool: Fields, items: list[Json]) -> tuple[Parameter, ...]:
    found: dict[str, Parameter] = {}
    for position, item in enumerate(items):
        fields = tool.inner(item if isinstance(item, dict) else {}, "parameters", position)
        if not isinstance(item, dict):
            fields.wrong(
                None, f"must be a mapping, not {shown(item)}", "Write `{name: city, type: string}`."
            )
            continue
        fields.only((*_OWN_KEYS, *_SCHEMA_KEYS))
        name = _checked_name(fields, fields.text("name", example="city"))
        if name in found:
            fields.wrong("name", f"the parameter {name!r} is declared twice", "Keep one of them.")
        elif name:
            found[name] = _parameter(fields, name, required=fields.flag("required"))
    return tuple(found.values())


def _from_schema(schema: Fields) -> tuple[Parameter, ...]:
    schema.only(
        (
            "type",
            "properties",
            "required",
            "additionalProperties",
            "description",
            "title",
            "$schema",
        )
    )
    if schema.choice("type", ("object", *TYPES), "object") != "object":
        schema.wrong(
            "type", "must be 'object'", "Describe the arguments as an object with properties."
        )
    properties = schema.mapping("properties")
    required = schema.words("required", r".+", "city")
    for name in required:
        if name not in properties.value:
            schema.wrong(
                "required",
                f"{name[:60]!r} is not among the properties",
                "Add it, or remove it here.",
            )
    found = []
    for name, item in properties.value.items():
        fields = properties.inner(item if isinstance(item, dict) else {}, name)
        if not isinstance(item, dict):
            fields.wrong(
                None, f"must be a JSON Schema, not {shown(item)}", "Write `{type: string}`."
            )
        elif _checked_name(fields, name):
            found.append(_parameter(fields, name, required=name in required))
    return tuple(found)


def _checked_name(fields: Fields, name: str) -> str:
    if not name:
        return ""
    if not _NAME.match(name) or name in _RESERVED:
        why = "is reserved" if name in _RESERVED else "is not a parameter's name"
        fix = "Use letters, digits and _, at most 64, not starting with a digit."
        fields.wrong("name" if "name" in fields.value else None, f"{shown(name)} {why}", fix)
        return ""
    return name


def _parameter(fields: Fields, name: str, *, required: bool) -> Parameter:
    schema = {key: item for key, item in fields.value.items() if key not in _OWN_KEYS}
    if "type" not in schema and not {"anyOf", "oneOf", "const"} & schema.keys():
        schema["type"] = "string"
    types = _types(fields, schema.get("type"))
    for key in ("description", "pattern", "format"):
        fields.text(key)
    if "$ref" in schema:
        fields.wrong("$ref", "references are not accepted", "Write the schema out.")
    _check_pattern(fields)
    _check_values(fields, types)
    if required and fields.has("default"):
        fix = "Remove `default`, or remove `required: true`."
        fields.wrong("default", "a required parameter cannot have a default", fix)
    location = (
        fields.choice("location", LOCATIONS, LOCATIONS[0]) if fields.has("location") else None
    )
    return Parameter(name, schema, required, location, fields.flag("allow_options"))


def _types(fields: Fields, value: Json) -> tuple[str, ...]:
    if not isinstance(value, list):
        return (fields.choice("type", TYPES, "string"),) if value is not None else ()
    known = (*TYPES, "null")
    for item in value:
        if item not in known:
            fields.wrong("type", f"{shown(item)} is not a type", f"Use one of: {', '.join(known)}.")
    return tuple(item for item in value if isinstance(item, str))


def _check_pattern(fields: Fields) -> None:
    pattern = fields.value.get("pattern")
    if isinstance(pattern, str):
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            fields.wrong(
                "pattern", f"is not a regular expression: {error}", "Mend it, or leave it out."
            )


def _check_values(fields: Fields, types: tuple[str, ...]) -> None:
    enum = fields.value.get("enum")
    if enum is not None and (not isinstance(enum, list) or not enum):
        fields.wrong("enum", "must be a list with at least one value", "Write `enum: [a, b]`.")
        enum = None
    for item in enum or ():
        if types and not any(_is(item, kind) for kind in types):
            fix = "Quote it, or correct `type`."
            fields.wrong("enum", f"{shown(item)} is not of type {' or '.join(types)}", fix)
    default = fields.value.get("default")
    if default is None:
        return
    if types and not any(_is(default, kind) for kind in types):
        fix = "Correct the default or the type."
        fields.wrong("default", f"{shown(default)} is not of type {' or '.join(types)}", fix)
    elif enum and default not in enum:
        fields.wrong(
            "default", f"{shown(default)} is not in enum", "Add it there, or choose another."
        )


def _is(value: Json, kind: str) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return type(value) is int
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
    return value is None
