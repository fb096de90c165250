import datetime
import decimal
import re
from typing import Annotated

import annotated_types
import jsonschema_rs
import msgspec
import pydantic
import pytest

from hermes.schema.annotations.field import Field
from hermes.schema.annotations.plain import BadAnnotation
from hermes.schema.annotations.scope import of_function
from hermes.schema.annotations.types import Builder
from hermes.schema.signature import describe

STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}


def form(annotation):
    builder = Builder(of_function(form))
    made = builder.form(annotation)
    return made, builder.definitions


def schema(annotation):
    made, definitions = form(annotation)
    return {**made.schema, "$defs": definitions} if definitions else made.schema


def convert(annotation, value):
    made, _ = form(annotation)
    return made.convert(value) if made.convert else value


def assert_valid_in_both_drafts(made):
    for draft in (
        "https://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft-07/schema#",
    ):
        jsonschema_rs.meta.validate({"$schema": draft, **made})


SCHEMAS = [
    (Annotated[str, "Words."], {"type": "string", "description": "Words."}),
    (
        Annotated[
            int,
            Field(description="Words.", ge=1, gt=0, le=9, lt=10, multiple_of=2, examples=[2, 4]),
        ],
        {
            "type": "integer",
            "minimum": 1,
            "exclusiveMinimum": 0,
            "maximum": 9,
            "exclusiveMaximum": 10,
            "multipleOf": 2,
            "description": "Words.",
            "examples": [2, 4],
        },
    ),
    (
        Annotated[
            str, Field(min_length=1, max_length=5, pattern=re.compile("^a"), enum=["a", "ab"])
        ],
        {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^a", "enum": ["a", "ab"]},
    ),
    (
        Annotated[list[str], Field(min_length=1, max_length=5)],
        {"type": "array", "items": STRING, "minItems": 1, "maxItems": 5},
    ),
    (
        Annotated[dict[str, int], Field(max_length=5)],
        {"type": "object", "additionalProperties": INTEGER, "maxProperties": 5},
    ),
    (Annotated[int | None, Field(ge=1)], {"type": ["integer", "null"], "minimum": 1}),
    (
        Annotated[list[int] | None, Field(min_length=2)],
        {"anyOf": [{"type": "array", "items": INTEGER, "minItems": 2}, {"type": "null"}]},
    ),
    (
        list[Annotated[int, Field(ge=0)]],
        {"type": "array", "items": {"type": "integer", "minimum": 0}},
    ),
    (
        Annotated[int, annotated_types.Ge(1), annotated_types.Lt(5)],
        {"type": "integer", "minimum": 1, "exclusiveMaximum": 5},
    ),
    (
        Annotated[int, annotated_types.Interval(gt=1, le=5)],
        {"type": "integer", "exclusiveMinimum": 1, "maximum": 5},
    ),
    (
        Annotated[list[int], annotated_types.Len(1, 3)],
        {"type": "array", "items": INTEGER, "minItems": 1, "maxItems": 3},
    ),
    (
        Annotated[str, annotated_types.MinLen(2), annotated_types.MaxLen(3)],
        {"type": "string", "minLength": 2, "maxLength": 3},
    ),
    (Annotated[int, annotated_types.MultipleOf(5)], {"type": "integer", "multipleOf": 5}),
    (
        Annotated[str, pydantic.Field(pattern="^x", max_length=3, description="Words.")],
        {"type": "string", "pattern": "^x", "maxLength": 3, "description": "Words."},
    ),
    (Annotated[str, pydantic.StringConstraints(min_length=2)], {"type": "string", "minLength": 2}),
    (
        Annotated[int, msgspec.Meta(ge=3, description="Words.")],
        {"type": "integer", "minimum": 3, "description": "Words."},
    ),
    (Annotated[str, object()], STRING),
    (Annotated[int, Field(ge=decimal.Decimal(2))], {"type": "integer", "minimum": 2}),
]


@pytest.mark.parametrize(("annotation", "expected"), SCHEMAS)
def test_a_limit_lands_where_its_type_wants_it(annotation, expected):
    made = schema(annotation)
    assert made == expected
    assert_valid_in_both_drafts(made)


REFUSED = [
    (Annotated[decimal.Decimal, Field(ge=0)], "-5", "-5 breaks the limit minimum 0"),
    (Annotated[decimal.Decimal | None, Field(ge=0)], "-5", "-5 breaks the limit minimum 0"),
]


@pytest.mark.parametrize(("annotation", "value", "message"), REFUSED)
def test_a_value_that_does_not_convert_is_refused_in_words(annotation, value, message):
    with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
        convert(annotation, value)


BAD = [
    (Annotated[str, Field(ge=1)], "ge=1 does not fit its type"),
    (Annotated[int, Field(max_length=1)], "max_length=1 does not fit its type"),
    (Annotated[datetime.date, Field(ge=1)], "ge=1 does not fit its type"),
    (
        Annotated[int, annotated_types.Ge(datetime.date(2026, 1, 1))],
        "cannot be said in JSON Schema",
    ),
]


@pytest.mark.parametrize(("annotation", "message"), BAD)
def test_an_annotation_without_a_json_form_is_refused(annotation, message):
    with pytest.raises(BadAnnotation, match=re.escape(message)) as caught:
        form(annotation)
    assert caught.value.hint


def test_a_decimal_written_as_text_obeys_a_field_given_as_default():
    field = Field(gt=0, multiple_of=0.5)

    def pay(amount: decimal.Decimal = field): ...

    convert = describe(pay).converters["amount"]
    assert convert("1.5") == decimal.Decimal("1.5")
    for amount in ("0", "-1", "1.2"):
        with pytest.raises(ValueError, match="breaks the limit"):
            convert(amount)


def test_a_field_shows_what_it_says():
    assert repr(Field(3, ge=1)) == "Field(default=3, limits={'ge': 1})"
    assert repr(Field(description="Words.")) == "Field(description='Words.')"
