"""Describe a function to a model: its words, its parameters, and how arguments become Python."""

from __future__ import annotations

import typing
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

from hermes.schema import docstrings
from hermes.schema.annotations import parameters, scope
from hermes.schema.annotations.conversion import MISSING, BadAnnotation, Convert, Schema, shown
from hermes.schema.annotations.defaults import as_json
from hermes.schema.annotations.field import Spec, constrain, describes, spec_of_default
from hermes.schema.annotations.records import dict_members
from hermes.schema.annotations.types import Builder

CONTEXT = "ctx"


class Described(NamedTuple):
    """What a model is told about a function, and what a call of it needs.

    ``converters`` turn a fitting JSON value into the annotated Python type and raise ValueError
    for one that does not fit; a parameter of a plain JSON type has none.
    """

    description: str
    parameters: Schema
    converters: dict[str, Convert]
    wants_context: bool


def describe(function: Callable[..., Any]) -> Described:
    """Return description, parameters' schema and converters of a function.

    Raises:
        ConfigError: a parameter cannot be offered to a model; the hint says what to write.
    """
    signature = parameters.read(function)
    doc = docstrings.parse(signature.doc)
    names = signature.scope()
    builder = Builder(names)
    properties: dict[str, Schema] = {}
    required: list[str] = []
    converters: dict[str, Convert] = {}
    wants_context = False
    for name, annotation, default in _unpacked(signature, names):
        if name == CONTEXT:
            wants_context = True
            continue
        try:
            annotation = names.find(annotation) if type(annotation) is str else annotation
            words = doc.parameters.get(name)
            schema, convert, needed = _parameter(builder, annotation, default, words)
        except BadAnnotation as problem:
            raise signature.refuse(f"parameter {name!r}: {problem}", problem.hint) from problem
        properties[name] = schema
        if convert is not None:
            converters[name] = _guarded(convert)
        if needed:
            required.append(name)
    whole = _object(properties, required, _rest(builder, names, signature), builder)
    if signature.function is not None:
        settle_defaults(signature.function)
    return Described(doc.description, whole, converters, wants_context)


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
    if default is not None:
        plain = as_json(default)
        if plain is not MISSING:
            schema["default"] = plain
    return schema, convert, False


def _unpacked(signature: parameters.Signature, names: scope.Scope) -> list[tuple[str, Any, Any]]:
    """Return the parameters, with the keys of ``**keywords: Unpack[SomeTypedDict]`` among them."""
    kind = _unpacked_kind(signature, names)
    if kind is None:
        return signature.parameters
    members = dict_members(kind, lambda item, owner: scope.find(item, scope.of_class(owner, names)))
    keys = [
        (member.name, member.annotation, MISSING if member.required else None) for member in members
    ]
    return signature.parameters + keys


def _unpacked_kind(signature: parameters.Signature, names: scope.Scope) -> Any:
    if not signature.takes_more or signature.more is Any:
        return None
    try:
        more = names.find(signature.more) if type(signature.more) is str else signature.more
    except BadAnnotation as problem:
        raise signature.refuse(f"'**' parameter: {problem}", problem.hint) from problem
    return typing.get_args(more)[0] if typing.get_origin(more) is typing.Unpack else None


def _rest(builder: Builder, names: scope.Scope, signature: parameters.Signature) -> Schema | bool:
    """Return what further keywords may be: nothing, anything, or what ``**`` is annotated with."""
    if not signature.takes_more or _unpacked_kind(signature, names) is not None:
        return False
    more = signature.more
    try:
        schema, convert = builder.form(names.find(more) if type(more) is str else more)
    except BadAnnotation as problem:
        raise signature.refuse(f"'**' parameter: {problem}", problem.hint) from problem
    if convert is not None:
        raise signature.refuse(
            "'**' parameter: further keywords cannot be converted",
            "Name the parameters, or annotate it with a plain JSON type.",
        )
    return schema or True


def _object(
    properties: dict[str, Schema], required: list[str], rest: Schema | bool, builder: Builder
) -> Schema:
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = rest
    if builder.definitions:
        schema["$defs"] = builder.definitions
    return schema


def _guarded(convert: Convert) -> Convert:
    """Let a converter raise nothing but ValueError, whatever it is given."""

    def guarded(value: Any) -> Any:
        try:
            return convert(value)
        except (TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
            raise ValueError(f"{shown(value)} cannot be converted: {error}") from error

    return guarded
