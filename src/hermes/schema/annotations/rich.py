"""Describe parameters whose types or defaults say more than plain JSON does."""

from __future__ import annotations

import typing
from types import FunctionType
from typing import Any

from hermes.schema.annotations import scope
from hermes.schema.annotations.conversion import shown
from hermes.schema.annotations.defaults import as_json
from hermes.schema.annotations.field import Spec, constrain, describes, spec_of_default
from hermes.schema.annotations.parameters import CONTEXT, Parameter, Signature
from hermes.schema.annotations.plain import MISSING, BadAnnotation, Convert, Schema, object_of
from hermes.schema.annotations.records import dict_members
from hermes.schema.annotations.types import Builder


def richly(signature: Signature, words: dict[str, str]) -> tuple[Schema, dict[str, Convert]]:
    """Return the schema and the converters of a function's parameters.

    Raises:
        ConfigError: a parameter cannot be offered to a model; the hint says what to write.
    """
    builder = Builder(signature.names)
    properties: dict[str, Schema] = {}
    required: list[str] = []
    converters: dict[str, Convert] = {}
    name = "**"
    try:
        keys, rest = _keywords(signature, builder)
        for name, annotation, default in signature.parameters + keys:
            found = signature.names.find(annotation) if type(annotation) is str else annotation
            schema, convert, needed = _parameter(builder, found, default, words.get(name))
            properties[name] = schema
            if convert is not None:
                converters[name] = _guarded(convert)
            if needed:
                required.append(name)
    except BadAnnotation as problem:
        raise signature.refuse(f"parameter {name!r}: {problem}", problem.hint) from problem
    if signature.function is not None:
        settle_defaults(signature.function)
    whole = object_of(properties, required, rest)
    if builder.definitions:
        whole["$defs"] = builder.definitions
    return whole, converters


def _keywords(signature: Signature, builder: Builder) -> tuple[list[Parameter], Schema | bool]:
    """Return the parameters that ``**`` stands for, and what further keywords may be."""
    more = signature.more
    if more is MISSING:
        return [], False
    more = signature.names.find(more) if type(more) is str else more
    if typing.get_origin(more) is typing.Unpack:
        return _unpacked(signature, typing.get_args(more)[0]), False
    schema, convert = builder.form(more)
    if convert is not None:
        raise BadAnnotation(
            "further keywords cannot be converted",
            "Name the parameters, or annotate it with a plain JSON type.",
        )
    return [], schema or True


def _unpacked(signature: Signature, kind: Any) -> list[Parameter]:
    def resolve(item: Any, owner: type) -> Any:
        return scope.find(item, scope.of_class(owner, signature.names))

    members = {member.name: member for member in dict_members(kind, resolve)}
    if members.pop(CONTEXT, None):
        signature.wants_context = True
    return [
        (name, member.annotation, MISSING if member.required else None)
        for name, member in members.items()
    ]


def _parameter(
    builder: Builder, annotation: Any, default: Any, words: str | None
) -> tuple[Schema, Convert | None, bool]:
    """Return a parameter's schema, its converter, and whether a call must give it."""
    form = builder.form(annotation)
    said = describes(annotation)
    spec = spec_of_default(default)
    if spec is not None:
        form, default = constrain(form, spec), spec.default
        said = said or bool(spec.description)
    schema, convert = form
    if words and not said:
        schema["description"] = words
    if default is MISSING:
        return schema, convert, True
    plain = MISSING if default is None else as_json(default)
    if plain is not MISSING:
        schema["default"] = plain
    return schema, convert, False


def settle_defaults(function: FunctionType) -> None:
    """Put the default a Field holds in its place, so that a call that leaves it out gets it."""
    if function.__defaults__ and any(map(_is_field, function.__defaults__)):
        function.__defaults__ = tuple(map(_settled, function.__defaults__))
    keyword = function.__kwdefaults__
    if keyword and any(map(_is_field, keyword.values())):
        function.__kwdefaults__ = {name: _settled(value) for name, value in keyword.items()}


def _is_field(default: Any) -> bool:
    return type(default) is Spec or type(default).__name__ == "FieldInfo"


def _settled(default: Any) -> Any:
    spec = spec_of_default(default)
    return default if spec is None or spec.default is MISSING else spec.default


def _guarded(convert: Convert) -> Convert:
    """Let a converter raise nothing but ValueError, whatever it is given."""

    def guarded(value: Any) -> Any:
        try:
            return convert(value)
        except (TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
            raise ValueError(f"{shown(value)} cannot be converted: {error}") from error

    return guarded
