import datetime
import re
from collections.abc import Callable
from typing import Annotated

import jsonschema_rs
import msgspec
import pydantic
import pytest

from hermes.schema.annotations.plain import BadAnnotation
from hermes.schema.annotations.scope import of_function
from hermes.schema.annotations.types import Builder

STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}


class Packet(msgspec.Struct):
    """A packet."""

    size: Annotated[int, msgspec.Meta(ge=1)]
    at: datetime.date
    label: str | None = None


class Address(pydantic.BaseModel):
    street: str
    number: int | None = None


class Person(pydantic.BaseModel):
    """Someone."""

    name: str = pydantic.Field(min_length=1, description="Full name.")
    title: str = "Dr"
    home: Address
    born: datetime.date | None = None
    spot: tuple[int, str] = (1, "a")


class Staff(pydantic.BaseModel):
    name: str
    reports: list["Staff"] = []


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
    (
        Packet,
        {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "minimum": 1},
                "at": {"type": "string", "format": "date"},
                "label": {"type": ["string", "null"]},
            },
            "required": ["size", "at"],
            "description": "A packet.",
        },
    ),
    (
        Person,
        {
            "type": "object",
            "description": "Someone.",
            "properties": {
                "name": {"type": "string", "minLength": 1, "description": "Full name."},
                "title": {"type": "string", "default": "Dr"},
                "home": {
                    "type": "object",
                    "properties": {"street": STRING, "number": {"type": ["integer", "null"]}},
                    "required": ["street"],
                },
                "born": {"type": ["string", "null"], "format": "date"},
                "spot": {
                    "type": "array",
                    "minItems": 2,
                    "maxItems": 2,
                    "items": {"type": ["integer", "string"]},
                    "default": [1, "a"],
                },
            },
            "required": ["name", "home"],
        },
    ),
    (
        Staff,
        {
            "$ref": "#/$defs/Staff",
            "$defs": {
                "Staff": {
                    "type": "object",
                    "properties": {
                        "name": STRING,
                        "reports": {
                            "type": "array",
                            "items": {"$ref": "#/$defs/Staff"},
                            "default": [],
                        },
                    },
                    "required": ["name"],
                }
            },
        },
    ),
    (pydantic.AnyUrl, {"type": "string", "format": "uri", "minLength": 1}),
    (Annotated[int, pydantic.AfterValidator(lambda value: value + 1)], INTEGER),
]


@pytest.mark.parametrize(("annotation", "expected"), SCHEMAS)
def test_a_foreign_type_brings_its_schema_without_titles(annotation, expected):
    made = schema(annotation)
    assert made == expected
    assert_valid_in_both_drafts(made)


CONVERSIONS = [
    (Packet, {"size": 1, "at": "2026-01-31"}, Packet(1, datetime.date(2026, 1, 31))),
    (Address, {"street": "A"}, Address(street="A")),
    (Staff, {"name": "a", "reports": [{"name": "b"}]}, Staff(name="a", reports=[Staff(name="b")])),
    (Annotated[int, pydantic.AfterValidator(lambda value: value + 1)], 1, 2),
]


@pytest.mark.parametrize(("annotation", "given_value", "expected"), CONVERSIONS)
def test_a_json_value_becomes_the_annotated_type(annotation, given_value, expected):
    got = convert(annotation, given_value)
    assert got == expected
    assert type(got) is type(expected)


REFUSED = [
    (Address, {"street": 1}, "street: Input should be a valid string"),
]


@pytest.mark.parametrize(("annotation", "value", "message"), REFUSED)
def test_a_value_that_does_not_convert_is_refused_in_words(annotation, value, message):
    with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
        convert(annotation, value)


class CallingModel(pydantic.BaseModel):
    call: Callable[[int], str]


class CallingStruct(msgspec.Struct):
    call: Callable[[int], str]


@pytest.mark.parametrize("annotation", [pydantic.BaseModel, CallingModel, CallingStruct])
def test_a_foreign_type_without_a_json_form_is_refused(annotation):
    with pytest.raises(
        BadAnnotation, match=f"^{annotation.__name__} has no JSON Schema: "
    ) as caught:
        form(annotation)
    assert caught.value.hint
