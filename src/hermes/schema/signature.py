"""Describe a function to a model: its words, its parameters, and how arguments become Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hermes.base.optional import load
from hermes.schema.annotations.parameters import Signature, read
from hermes.schema.annotations.plain import (
    MISSING,
    BadAnnotation,
    Convert,
    Schema,
    is_plain,
    object_of,
    plain,
)
from hermes.schema.docstrings import parse

_RICH = "hermes.schema.annotations.rich"  # loaded when a function needs it


class Described:
    """What a model is told about a function, and what a call of it needs.

    ``converters`` turn a fitting JSON value into the annotated Python type and raise ValueError
    for one that does not fit; a parameter of a plain JSON type has none.
    """

    __slots__ = ("converters", "description", "parameters", "wants_context")

    def __init__(
        self,
        description: str,
        parameters: Schema,
        converters: dict[str, Convert],
        wants_context: bool,
    ) -> None:
        self.description = description
        self.parameters = parameters
        self.converters = converters
        self.wants_context = wants_context

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Described) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )


def describe(function: Callable[..., Any]) -> Described:
    """Return description, parameters' schema and converters of a function.

    Raises:
        ConfigError: a parameter cannot be offered to a model; the hint says what to write.
    """
    signature = read(function)
    doc = parse(signature.doc)
    schema = _plainly(signature, doc.parameters)
    converters: dict[str, Convert] = {}
    if schema is None:
        schema, converters = load(_RICH).richly(signature, doc.parameters)
    return Described(doc.description, schema, converters, signature.wants_context)


def _plainly(signature: Signature, words: dict[str, str]) -> Schema | None:
    """Return the schema of parameters that are all plain JSON, in type and default."""
    if signature.more is not MISSING and signature.more is not Any:
        return None
    properties: dict[str, Schema] = {}
    required: list[str] = []
    for name, annotation, default in signature.parameters:
        schema = plain(_found(signature, annotation) if type(annotation) is str else annotation)
        if schema is None or not is_plain(default):
            return None
        if name in words:
            schema["description"] = words[name]
        if default is MISSING:
            required.append(name)
        elif default is not None:
            schema["default"] = default
        properties[name] = schema
    return object_of(properties, required, signature.more is Any)


def _found(signature: Signature, text: str) -> Any:
    try:
        return signature.names.find(text)
    except BadAnnotation:  # text is not plain: who describes it richly says what is wrong
        return text
