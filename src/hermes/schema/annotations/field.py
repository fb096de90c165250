"""Say more about a parameter than its type can: words, limits, examples, a default."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any

from hermes.schema.annotations.conversion import Form, shown
from hermes.schema.annotations.defaults import as_json
from hermes.schema.annotations.plain import MISSING, BadAnnotation, Convert, Schema

_NUMBER = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
_LENGTH = {
    "min_length": {"string": "minLength", "array": "minItems", "object": "minProperties"},
    "max_length": {"string": "maxLength", "array": "maxItems", "object": "maxProperties"},
}
_LIMITS = (*_NUMBER, *_LENGTH, "pattern")
_NUMERIC = frozenset(("integer", "number"))
ANNOTATED: Any = type(Annotated[int, 0])  # its instances are told from others by class, fast


class Spec:
    """What a ``Field`` says."""

    __slots__ = ("default", "description", "enum", "examples", "extra", "limits")

    def __init__(
        self,
        *,
        default: Any = MISSING,
        description: str | None = None,
        examples: Sequence[Any] | None = None,
        enum: Sequence[Any] | None = None,
        limits: dict[str, Any] | None = None,
    ) -> None:
        self.default = default
        self.description = description
        self.examples = examples
        self.enum = enum
        self.limits = {} if limits is None else limits
        self.extra: Schema = {}

    def __repr__(self) -> str:
        said = {name: getattr(self, name) for name in self.__slots__}
        parts = [
            f"{name}={value!r}" for name, value in said.items() if value not in (None, {}, MISSING)
        ]
        return f"Field({', '.join(parts)})"

    def absorb(self, other: Spec) -> None:
        """Take over what another one says; its words win."""
        self.limits.update(other.limits)
        self.extra.update(other.extra)
        if other.default is not MISSING:
            self.default = other.default
        for name in ("description", "examples", "enum"):
            if getattr(other, name) is not None:
                setattr(self, name, getattr(other, name))


def Field(  # noqa: PLR0913 (one keyword per limit reads better than a bag of limits)
    default: Any = MISSING,
    *,
    description: str | None = None,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    min_length: int | None = None,
    max_length: int | None = None,
    pattern: str | re.Pattern[str] | None = None,
    multiple_of: float | None = None,
    examples: Sequence[Any] | None = None,
    enum: Sequence[Any] | None = None,
) -> Any:
    """Describe and limit a parameter, inside ``Annotated`` or as its default.

    ``days: Annotated[int, Field(ge=1)] = 5`` and ``days: int = Field(5, ge=1)`` mean the same.
    Lengths count characters of a string, items of a list and keys of a dict.
    """
    given = (ge, gt, le, lt, multiple_of, min_length, max_length, pattern)
    names = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")
    limits = {name: value for name, value in zip(names, given, strict=True) if value is not None}
    return Spec(
        default=MISSING if default is ... else default,
        description=description,
        examples=examples,
        enum=enum,
        limits=limits,
    )


def spec_of_default(default: Any) -> Spec | None:
    """Return what a parameter's default says when it is a Field, ours or pydantic's."""
    if type(default) is Spec:
        return default
    if type(default).__name__ != "FieldInfo" or not hasattr(default, "metadata"):
        return None
    spec = read((default,))
    if getattr(default, "default_factory", None) is not None:
        raise BadAnnotation(
            "its default is made by a default_factory, which a function cannot have",
            "Give the default itself, or None and make the value in the function.",
        )
    value = default.default
    undefined = value is ... or type(value).__name__ == "PydanticUndefinedType"
    spec.default = MISSING if undefined else value
    return spec


def read(metadata: Iterable[Any]) -> Spec:
    """Return what the metadata of ``Annotated`` says: text, Field, or objects that look like one.

    Objects of annotated_types, pydantic and msgspec are known by their attributes; what is not
    understood is ignored, as ``Annotated`` asks.
    """
    spec = Spec()
    for item in metadata:
        if isinstance(item, str):
            spec.description = spec.description or item
        elif isinstance(item, Spec):
            spec.absorb(item)
        elif not isinstance(item, type):
            spec.absorb(_alike(item))
    return spec


def _alike(item: Any) -> Spec:
    nested = getattr(item, "metadata", None)
    spec = read(nested) if isinstance(nested, (list, tuple)) else Spec()
    for name in _LIMITS:
        value = getattr(item, name, None)
        if value is not None and not callable(value):
            spec.limits[name] = value
    description = getattr(item, "description", None) or getattr(item, "documentation", None)
    if isinstance(description, str):
        spec.description = description
    examples = getattr(item, "examples", None)
    if isinstance(examples, (list, tuple)):
        spec.examples = examples
    for name in ("json_schema_extra", "extra_json_schema"):
        extra = getattr(item, name, None)
        if isinstance(extra, dict):
            spec.extra.update(extra)
    return spec


def describes(annotation: Any) -> bool:
    """Say whether an annotation brings its own words about the parameter."""
    return isinstance(annotation, ANNOTATED) and any(
        isinstance(item, str) or getattr(item, "description", getattr(item, "documentation", None))
        for item in annotation.__metadata__
    )


def constrain(form: Form, spec: Spec) -> Form:
    """Return a form with all that a Field says added to its schema."""
    result = dict(form.schema)
    for name, limit in spec.limits.items():
        if name == "min_length" and limit == 0:
            continue
        if not _add(result, name, _plain_limit(name, limit)):
            raise BadAnnotation(
                f"{name}={shown(limit)} does not fit its type",
                "Number limits need a number, lengths a string, list or dict, patterns a string.",
            )
    if spec.enum is not None:
        result["enum"] = _plain_list("enum", spec.enum)
    if spec.description:
        result["description"] = spec.description
    if spec.examples:
        result["examples"] = _plain_list("examples", spec.examples)
    result.update(spec.extra)
    # A Decimal may come as text, which JSON Schema's number limits do not reach.
    worded = set(form.schema.get("type", ())) >= {"string", "number"}
    convert = _limited(form.convert, spec.limits) if worded and form.convert else form.convert
    return Form(result, convert)


def _add(schema: Schema, name: str, limit: Any) -> bool:
    """Add one limit wherever in a schema it means something; say whether it did anywhere."""
    if "anyOf" in schema:
        schema["anyOf"] = [dict(branch) for branch in schema["anyOf"]]
        added = [_add(branch, name, limit) for branch in schema["anyOf"]]
        return any(added)
    kind = schema.get("type")
    kinds = {kind} if isinstance(kind, str) else set(kind or ())
    if name in _NUMBER:
        if (kinds and not kinds & _NUMERIC) or "enum" in schema or "$ref" in schema:
            return False
        schema[_NUMBER[name]] = limit
        return True
    keywords = {"string": "pattern"} if name == "pattern" else _LENGTH[name]
    fitting = [keyword for kind, keyword in keywords.items() if kind in kinds]
    schema.update(dict.fromkeys(fitting, limit))
    return bool(fitting)


def _plain_limit(name: str, limit: Any) -> Any:
    if name == "pattern":
        return limit.pattern if isinstance(limit, re.Pattern) else limit
    if isinstance(limit, (int, float)) and not isinstance(limit, bool):
        return limit
    number = as_json(limit)
    if type(limit).__name__ == "Decimal" and number is not MISSING:
        return int(limit) if limit == int(limit) else float(limit)
    raise BadAnnotation(
        f"{name}={shown(limit)} cannot be said in JSON Schema",
        "Use a number here, and check anything else in the function.",
    )


def _plain_list(name: str, values: Sequence[Any]) -> list[Any]:
    plain = as_json(list(values))
    if plain is MISSING:
        raise BadAnnotation(f"{name}={shown(values)} has no JSON form", "Use JSON values.")
    return list(plain)


def _limited(convert: Convert, limits: dict[str, Any]) -> Convert:
    def limited(value: Any) -> Any:
        result = convert(value)
        problem = type(result).__name__ == "Decimal" and _broken(limits, result)
        if problem:
            raise ValueError(problem)
        return result

    return limited


def _broken(limits: dict[str, Any], value: Any) -> str | None:
    """Say which number limit a Decimal breaks."""
    holds: dict[str, Callable[[Any], bool]] = {
        "ge": lambda limit: value >= limit,
        "gt": lambda limit: value > limit,
        "le": lambda limit: value <= limit,
        "lt": lambda limit: value < limit,
        "multiple_of": lambda limit: value % limit == 0,
    }
    for name, limit in limits.items():
        if name in holds and not holds[name](type(value)(str(limit))):
            return f"{value} breaks the limit {_NUMBER[name]} {limit}"
    return None
