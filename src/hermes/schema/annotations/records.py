"""Classes with named fields: dataclasses, TypedDicts and NamedTuples as JSON objects."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, ForwardRef, NamedTuple, NotRequired, Required, get_args, get_origin

from hermes.schema import docstrings
from hermes.schema.annotations.conversion import Form
from hermes.schema.annotations.defaults import as_json
from hermes.schema.annotations.field import Spec, constrain, describes, spec_of_default
from hermes.schema.annotations.plain import MISSING, BadAnnotation, Convert, Schema, object_of

_MARKS = (Required, NotRequired)


class Member(NamedTuple):
    """One field: its name, the class that annotates it, and what is known beside the type."""

    name: str
    owner: type
    annotation: Any
    default: Any = MISSING
    required: bool = True
    description: str | None = None


# Turns a member's annotation into its form, in the scope of the class that holds it.
Build = Callable[[Any, type], Form]
Resolve = Callable[[Any, type], Any]


def is_record(kind: type) -> bool:
    """Say whether a class is a dataclass, a TypedDict or a NamedTuple."""
    return hasattr(kind, "__dataclass_fields__") or _is_typed_dict(kind) or _is_tuple(kind)


def _is_typed_dict(kind: type) -> bool:
    return issubclass(kind, dict) and hasattr(kind, "__total__")


def _is_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def record(kind: Any, build: Build, resolve: Resolve) -> Form:
    """Return the form of a record class; unknown keys are refused."""
    doc = docstrings.parse(_own_doc(kind))
    properties: dict[str, Schema] = {}
    required: list[str] = []
    converts: dict[str, Convert] = {}
    fill: dict[str, Any] = {}
    for member in _members(kind, resolve):
        if isinstance(member.annotation, str):
            member = member._replace(annotation=resolve(member.annotation, member.owner))
        words = doc.parameters.get(member.name)
        properties[member.name], convert = _property(member, build, words, fill)
        if member.required and member.name not in fill:
            required.append(member.name)
        if convert:
            converts[member.name] = convert
    schema = object_of(properties, required, False)
    if doc.description:
        schema["description"] = doc.description
    if _is_typed_dict(kind):
        return Form(schema, _rebuilding(converts, dict, fill) if converts or fill else None)
    return Form(schema, _rebuilding(converts, kind, fill))


def _property(
    member: Member, build: Build, words: str | None, fill: dict[str, Any]
) -> tuple[Schema, Convert | None]:
    try:
        form = build(member.annotation, member.owner)
        spec = spec_of_default(member.default)
        default = member.default
        if spec is not None:
            form = constrain(form, spec)
            default = spec.default
            if default is not MISSING:
                fill[member.name] = default
    except BadAnnotation as problem:
        where = f"the field {member.name!r} of {member.owner.__name__}"
        raise BadAnnotation(f"{where}: {problem}", problem.hint) from None
    schema, convert = form
    words = member.description or words
    if words and not (spec and spec.description) and not describes(member.annotation):
        schema["description"] = words
    plain = MISSING if default is None or default is MISSING else as_json(default)
    if plain is not MISSING:
        schema["default"] = plain
    return schema, convert


def _own_doc(kind: type) -> str | None:
    """Return the docstring someone wrote; dataclasses and NamedTuples make their own."""
    doc = vars(kind).get("__doc__")
    made = isinstance(doc, str) and doc.startswith(f"{kind.__name__}(")
    return doc if isinstance(doc, str) and not made else None


def _members(kind: Any, resolve: Resolve) -> Iterator[Member]:
    if hasattr(kind, "__dataclass_fields__"):
        return _dataclass_members(kind)
    return dict_members(kind, resolve) if _is_typed_dict(kind) else _tuple_members(kind)


def _dataclass_members(kind: Any) -> Iterator[Member]:
    nothing = sys.modules["dataclasses"].MISSING
    for field in kind.__dataclass_fields__.values():
        if not field.init or field._field_type.name == "_FIELD_CLASSVAR":
            continue
        default = MISSING if field.default is nothing else field.default
        required = default is MISSING and field.default_factory is nothing
        if isinstance(default, Spec):
            required = default.default is MISSING
        words = field.metadata.get("description")
        owner = _owner(kind, field.name)
        yield Member(field.name, owner, field.type, default, required, words)


def _owner(kind: type, name: str) -> type:
    for base in kind.__mro__:
        if name in getattr(base, "__annotations__", ()):
            return base
    return kind


def dict_members(kind: Any, resolve: Resolve) -> Iterator[Member]:
    """Yield the keys of a TypedDict, with the marks about being required taken off."""
    for name, annotation in kind.__annotations__.items():
        required = name in kind.__required_keys__
        # Under `from __future__ import annotations` the class cannot see these marks itself.
        if isinstance(annotation, (str, ForwardRef)):
            annotation = resolve(annotation, kind)
        while (origin := get_origin(annotation)) in _MARKS or _is_read_only(origin):
            if origin in _MARKS:
                required = origin is Required
            annotation = get_args(annotation)[0]
        yield Member(name, kind, annotation, MISSING, required)


def _is_read_only(origin: Any) -> bool:
    return getattr(origin, "_name", None) == "ReadOnly"


def _tuple_members(kind: Any) -> Iterator[Member]:
    annotations = getattr(kind, "__annotations__", {})
    for name in kind._fields:
        default = kind._field_defaults.get(name, MISSING)
        yield Member(name, kind, annotations.get(name, Any), default, default is MISSING)


def _rebuilding(converts: dict[str, Convert], make: Any, fill: dict[str, Any]) -> Convert:
    def convert(value: Any) -> Any:
        if make is not dict and isinstance(value, make):
            return value
        values = {**fill, **value}
        for name, inner in converts.items():
            if name in value:
                try:
                    values[name] = inner(value[name])
                except ValueError as error:
                    raise ValueError(f"{name}: {error}") from error
        try:
            return make(**values)
        except TypeError as error:
            raise ValueError(f"no {make.__name__} can be made: {error}") from error

    return convert
