import dataclasses
import datetime
import decimal
import enum
import pathlib
import typing
import uuid
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypedDict

import jsonschema_rs
import msgspec
import pydantic
from hypothesis import given
from hypothesis import strategies as st

from hermes.schema.annotations.field import Field
from hermes.schema.annotations.scope import of_function
from hermes.schema.annotations.types import Builder

STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}

T = typing.TypeVar("T")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Corner(enum.Enum):
    TOP = (0, 0)
    END = (1, 1)


@dataclasses.dataclass
class Box(Generic[T]):
    content: T


@dataclasses.dataclass
class Node:
    name: str
    children: list["Node"] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0
    name: str | None = None
    tags: list[str] = dataclasses.field(default_factory=list)


class Film(TypedDict):
    title: str
    seen: typing.NotRequired[datetime.date]


class Pair(NamedTuple):
    first: int
    second: str = "b"


class Staff(pydantic.BaseModel):
    name: str
    reports: list["Staff"] = []


class Address(pydantic.BaseModel):
    street: str
    number: int | None = None


class Packet(msgspec.Struct):
    """A packet."""

    size: Annotated[int, msgspec.Meta(ge=1)]
    at: datetime.date
    label: str | None = None


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


def containers(inner):
    named = inner.filter(lambda item: item is not Any)
    return st.one_of(
        inner.map(lambda item: list[item]),
        inner.map(lambda item: dict[str, item]),
        inner.map(lambda item: tuple[item, ...]),
        st.tuples(inner, inner).map(lambda pair: tuple[pair]),
        named.map(lambda item: item | None),
        st.tuples(named, named).map(lambda pair: pair[0] | pair[1]),
        inner.map(lambda item: Annotated[item, Field(description="Words.")]),
        inner.map(lambda item: Box[item]),
    )


LEAVES = st.sampled_from(
    [
        str,
        int,
        float,
        bool,
        Any,
        Colour,
        Level,
        Corner,
        Literal["a", 1],
        datetime.date,
        pathlib.Path,
        decimal.Decimal,
        uuid.UUID,
        bytes,
        Point,
        Node,
        Film,
        Pair,
        Packet,
        Address,
        Staff,
    ]
)


ANNOTATIONS = st.recursive(LEAVES, containers, max_leaves=6)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(ANNOTATIONS)
def test_any_composed_annotation_gives_a_schema_valid_in_both_drafts(annotation):
    made = schema(annotation)
    assert_valid_in_both_drafts(made)
    jsonschema_rs.Draft7Validator(made)
    jsonschema_rs.Draft202012Validator(made)


@given(ANNOTATIONS, JSON)
def test_both_drafts_agree_about_every_value(annotation, value):
    made = schema(annotation)
    seventh = jsonschema_rs.Draft7Validator(made, validate_formats=False)
    latest = jsonschema_rs.Draft202012Validator(made, validate_formats=False)
    assert seventh.is_valid(value) == latest.is_valid(value)


@dataclasses.dataclass
class Event:
    day: datetime.date
    colour: Colour
    corner: Corner | None
    where: Point
    guests: dict[str, list[uuid.UUID]]
    span: tuple[datetime.timedelta, Level]
    paid: decimal.Decimal
    log: pathlib.PurePosixPath


POINTS = st.builds(Point, st.integers(), st.integers(), st.none() | st.text(), st.lists(st.text()))


EVENTS = st.builds(
    Event,
    st.dates(),
    st.sampled_from(Colour),
    st.none() | st.sampled_from(Corner),
    POINTS,
    st.dictionaries(st.text(), st.lists(st.uuids(), max_size=2), max_size=2),
    st.tuples(
        st.integers(0, 10**6).map(lambda n: datetime.timedelta(seconds=n)), st.sampled_from(Level)
    ),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.text("ab/", min_size=1).map(pathlib.PurePosixPath),
)


def as_written(event):
    return {
        "day": event.day.isoformat(),
        "colour": event.colour.value,
        "corner": event.corner and event.corner.name,
        "where": dataclasses.asdict(event.where),
        "guests": {name: [str(item) for item in items] for name, items in event.guests.items()},
        "span": [int(event.span[0].total_seconds()), int(event.span[1])],
        "paid": str(event.paid),
        "log": str(event.log),
    }


@given(EVENTS)
def test_what_is_written_as_json_comes_back_the_same(event):
    written = as_written(event)
    before = repr(written)
    jsonschema_rs.Draft202012Validator(schema(Event)).validate(written)
    assert convert(Event, written) == event
    assert repr(written) == before
