import dataclasses
import datetime
import re
import sys
import types
import typing
from typing import Annotated, Generic, Literal, NamedTuple, TypedDict

import jsonschema_rs
import pytest

from hermes.schema.annotations.field import Field
from hermes.schema.annotations.scope import of_function
from hermes.schema.annotations.types import Builder

STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}

T = typing.TypeVar("T")


@dataclasses.dataclass
class Point:
    """A place on the map.

    Args:
        x: To the right.
    """

    x: float
    y: float = 0.0
    name: str | None = None
    tags: list[str] = dataclasses.field(default_factory=list)
    unit: str = dataclasses.field(default="m", metadata={"description": "Unit of length."})
    hidden: int = dataclasses.field(default=0, init=False)
    shared: typing.ClassVar[int] = 3


POINT = {
    "type": "object",
    "properties": {
        "x": {"type": "number", "description": "To the right."},
        "y": {"type": "number", "default": 0.0},
        "name": {"type": ["string", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "unit": {"type": "string", "description": "Unit of length.", "default": "m"},
    },
    "required": ["x"],
    "additionalProperties": False,
    "description": "A place on the map.",
}


@dataclasses.dataclass
class Circle:
    kind: Literal["circle"]
    radius: float


@dataclasses.dataclass
class Square:
    kind: Literal["square"]
    side: float
    made: datetime.date | None = None


CIRCLE = {
    "type": "object",
    "properties": {"kind": {"type": "string", "enum": ["circle"]}, "radius": {"type": "number"}},
    "required": ["kind", "radius"],
    "additionalProperties": False,
}


@dataclasses.dataclass
class Limited:
    count: int = Field(5, ge=1, description="How many.")
    size: Annotated[int, "How big."] = 1


@dataclasses.dataclass
class Box(Generic[T]):
    content: T


@dataclasses.dataclass
class Node:
    name: str
    children: list["Node"] = dataclasses.field(default_factory=list)


class Film(TypedDict):
    title: str
    year: typing.NotRequired[int]


class Review(Film, total=False):
    stars: typing.Required[int]
    text: str
    seen: datetime.date


class Tree(TypedDict):
    left: typing.NotRequired["Tree"]


class Pair(NamedTuple):
    first: int
    second: str = "b"


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
        Circle | list[int] | None,
        {"anyOf": [CIRCLE, {"type": "array", "items": INTEGER}, {"type": "null"}]},
    ),
    (Point, POINT),
    (
        Box[int],
        {
            "type": "object",
            "properties": {"content": INTEGER},
            "required": ["content"],
            "additionalProperties": False,
        },
    ),
    (
        Box,
        {
            "type": "object",
            "properties": {"content": {}},
            "required": ["content"],
            "additionalProperties": False,
        },
    ),
    (
        Limited,
        {
            "type": "object",
            "properties": {
                "count": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "How many.",
                    "default": 5,
                },
                "size": {"type": "integer", "description": "How big.", "default": 1},
            },
            "additionalProperties": False,
        },
    ),
    (
        Review,
        {
            "type": "object",
            "properties": {
                "title": STRING,
                "year": INTEGER,
                "stars": INTEGER,
                "text": STRING,
                "seen": {"type": "string", "format": "date"},
            },
            "required": ["title", "stars"],
            "additionalProperties": False,
        },
    ),
    (
        Pair,
        {
            "type": "object",
            "properties": {"first": INTEGER, "second": {"type": "string", "default": "b"}},
            "required": ["first"],
            "additionalProperties": False,
        },
    ),
    (
        Node,
        {
            "$ref": "#/$defs/Node",
            "$defs": {
                "Node": {
                    "type": "object",
                    "properties": {
                        "name": STRING,
                        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                    },
                    "required": ["name"],
                    "additionalProperties": False,
                }
            },
        },
    ),
]


@pytest.mark.parametrize(("annotation", "expected"), SCHEMAS)
def test_a_record_becomes_exactly_this_object(annotation, expected):
    made = schema(annotation)
    assert made == expected
    assert_valid_in_both_drafts(made)


CONVERSIONS = [
    (Point, {"x": 1, "name": None}, Point(1, name=None)),
    (list[Point], [{"x": 1}, {"x": 2, "y": 3}], [Point(1), Point(2, 3)]),
    (Point | None, {"x": 1}, Point(1)),
    (Limited, {}, Limited(5, 1)),
    (Box[datetime.date], {"content": "2026-01-31"}, Box(datetime.date(2026, 1, 31))),
    (Node, {"name": "a", "children": [{"name": "b", "children": []}]}, Node("a", [Node("b")])),
    (Circle | Square, {"kind": "square", "side": 2}, Square("square", 2)),
    (Circle | Square, {"kind": "circle", "radius": 2}, Circle("circle", 2)),
    (Circle | int, 3, 3),
    (
        Review,
        {"title": "A", "stars": 3, "seen": "2026-01-31"},
        {"title": "A", "stars": 3, "seen": datetime.date(2026, 1, 31)},
    ),
    (Pair, {"first": 1}, Pair(1)),
]


@pytest.mark.parametrize(("annotation", "given_value", "expected"), CONVERSIONS)
def test_a_json_value_becomes_the_annotated_type(annotation, given_value, expected):
    got = convert(annotation, given_value)
    assert got == expected
    assert type(got) is type(expected)


REFUSED = [
    (
        Square,
        {"kind": "square", "side": 1, "made": "x"},
        "made: 'x' is not a date such as 2026-01-31",
    ),
    (Circle | Square, {"kind": "line"}, "{'kind': 'line'} fits none of the allowed forms"),
]


@pytest.mark.parametrize(("annotation", "value", "message"), REFUSED)
def test_a_value_that_does_not_convert_is_refused_in_words(annotation, value, message):
    with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
        convert(annotation, value)


def test_a_recursive_typed_dict_needs_no_converter():
    made, definitions = form(Tree)
    assert made == ({"$ref": "#/$defs/Tree"}, None)
    assert list(definitions) == ["Tree"]


def test_two_recursive_classes_of_one_name_get_two_definitions():
    def make():
        @dataclasses.dataclass
        class Item:
            next: "Item | None" = None

        return Item

    builder = Builder(of_function(make))
    first, second = make(), make()
    assert builder.form(first).schema == {"$ref": "#/$defs/Item"}
    assert builder.form(second).schema == {"$ref": "#/$defs/Item2"}
    assert builder.form(first).schema == {"$ref": "#/$defs/Item"}
    assert sorted(builder.definitions) == ["Item", "Item2"]


def test_a_field_is_looked_up_in_the_module_of_the_class_that_declares_it(monkeypatch):
    first, second = types.ModuleType("first_module"), types.ModuleType("second_module")
    monkeypatch.setitem(sys.modules, "first_module", first)
    monkeypatch.setitem(sys.modules, "second_module", second)
    exec(
        "from __future__ import annotations\nimport dataclasses, datetime, typing\n"
        "Day = datetime.date\n"
        "@dataclasses.dataclass\nclass Base:\n    day: Day\n"
        "class Keys(typing.TypedDict):\n    day: Day\n",
        vars(first),
    )
    exec(
        "import dataclasses, first_module\n"
        "@dataclasses.dataclass\nclass Child(first_module.Base):\n    n: int = 0\n"
        "class More(first_module.Keys):\n    n: int\n",
        vars(second),
    )
    day = {"type": "string", "format": "date"}
    assert schema(second.Child)["properties"]["day"] == day
    assert schema(second.More)["properties"]["day"] == day


def test_a_field_whose_value_hides_its_type_is_still_found():
    @dataclasses.dataclass
    class Diary:
        Point: "Point | None" = None

    assert convert(Diary, {"Point": {"x": 1}}) == Diary(Point(1))


def test_a_record_that_refuses_its_values_says_so():
    @dataclasses.dataclass
    class Even:
        n: int

        def __post_init__(self):
            if self.n % 2:
                raise ValueError(f"{self.n} is odd")

    with pytest.raises(ValueError, match=r"^3 is odd$"):
        convert(Even, {"n": 3})
    with pytest.raises(ValueError, match=r"^no Even can be made: "):
        convert(Even, {})
