import collections
import datetime
import decimal
import enum
import ipaddress
import pathlib
import re
import typing
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NewType, Optional

import jsonschema_rs
import pytest
import typing_extensions

from hermes.schema.annotations.plain import BadAnnotation
from hermes.schema.annotations.scope import of_function
from hermes.schema.annotations.types import Builder

STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}

T = typing.TypeVar("T")


Whole = typing.TypeVar("Whole", bound=int)


Either = typing.TypeVar("Either", str, int)


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mood(enum.StrEnum):
    CALM = enum.auto()


class Corner(enum.Enum):
    TOP = (0, 0)
    END = (1, 1)


class Right(enum.Flag):
    READ = 1
    WRITE = 2


UserId = NewType("UserId", int)


Json = str | int | None | list["Json"] | dict[str, "Json"]


NOWHERE, BROKEN = "Nowhere", "1 +"


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
    (str, STRING),
    (int, INTEGER),
    (float, NUMBER),
    (bool, {"type": "boolean"}),
    (None, {"type": "null"}),
    (Any, {}),
    (object, {}),
    (typing.LiteralString, STRING),
    (list, {"type": "array"}),
    (typing.List, {"type": "array"}),  # noqa: UP006 (old spelling must work),
    (list[Any], {"type": "array"}),
    (list[str], {"type": "array", "items": STRING}),
    (typing.List[str], {"type": "array", "items": STRING}),  # noqa: UP006 (old spelling must work),
    (Sequence[int], {"type": "array", "items": INTEGER}),
    (Iterable[int], {"type": "array", "items": INTEGER}),
    (set[str], {"type": "array", "items": STRING}),
    (frozenset[str], {"type": "array", "items": STRING}),
    (collections.deque[int], {"type": "array", "items": INTEGER}),
    (tuple, {"type": "array"}),
    (tuple[int, ...], {"type": "array", "items": INTEGER}),
    (tuple[int, int], {"type": "array", "minItems": 2, "maxItems": 2, "items": INTEGER}),
    (
        tuple[int, str],
        {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": ["integer", "string"]}},
    ),
    (list[list[int]], {"type": "array", "items": {"type": "array", "items": INTEGER}}),
    (dict, {"type": "object"}),
    (dict[str, Any], {"type": "object"}),
    (dict[str, int], {"type": "object", "additionalProperties": INTEGER}),
    (
        Mapping[str, list[int]],
        {"type": "object", "additionalProperties": {"type": "array", "items": INTEGER}},
    ),
    (
        dict[int, str],
        {
            "type": "object",
            "propertyNames": {"pattern": r"^-?\d+$"},
            "additionalProperties": STRING,
        },
    ),
    (
        dict[Colour, int],
        {
            "type": "object",
            "propertyNames": {"type": "string", "enum": ["red", "blue"]},
            "additionalProperties": INTEGER,
        },
    ),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal[1, 2], {"type": "integer", "enum": [1, 2]}),
    (Literal[True], {"type": "boolean", "enum": [True]}),
    (Literal["a", 1, True], {"enum": ["a", 1, True]}),
    (Literal["a", None], {"type": ["string", "null"], "enum": ["a", None]}),
    (Literal[Colour.RED, "x"], {"type": "string", "enum": ["red", "x"]}),
    (Colour, {"type": "string", "enum": ["red", "blue"]}),
    (Level, {"type": "integer", "enum": [1, 2]}),
    (Mood, {"type": "string", "enum": ["calm"]}),
    (Corner, {"type": "string", "enum": ["TOP", "END"]}),
    (Right, INTEGER),
    (Optional[str], {"type": ["string", "null"]}),  # noqa: UP045 (old spelling must work),
    (str | None, {"type": ["string", "null"]}),
    (None | int, {"type": ["integer", "null"]}),
    (Colour | None, {"type": ["string", "null"], "enum": ["red", "blue", None]}),
    (Literal["a", 1] | None, {"enum": ["a", 1, None]}),
    (datetime.date | None, {"type": ["string", "null"], "format": "date"}),
    (list[int] | None, {"anyOf": [{"type": "array", "items": INTEGER}, {"type": "null"}]}),
    (Any | None, {}),
    (int | str, {"type": ["integer", "string"]}),
    (int | str | None, {"type": ["integer", "string", "null"]}),
    (int | float, NUMBER),
    (int | float | None, {"type": ["number", "null"]}),
    (str | list[str], {"anyOf": [STRING, {"type": "array", "items": STRING}]}),
    (datetime.datetime, {"type": "string", "format": "date-time"}),
    (datetime.date, {"type": "string", "format": "date"}),
    (datetime.time, {"type": "string", "format": "time"}),
    (datetime.timedelta, {"type": "number", "format": "seconds"}),
    (pathlib.Path, {"type": "string", "format": "path"}),
    (pathlib.PurePosixPath, {"type": "string", "format": "path"}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (
        decimal.Decimal,
        {"type": ["string", "number"], "pattern": r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"},
    ),
    (re.Pattern, {"type": "string", "format": "regex"}),
    (re.Pattern[str], {"type": "string", "format": "regex"}),
    (ipaddress.IPv4Address, {"type": "string", "format": "ipv4"}),
    (UserId, INTEGER),
    (T, {}),
    (Whole, INTEGER),
    (Either, {"type": ["string", "integer"]}),
    (typing.Final[int], INTEGER),
]


@pytest.mark.parametrize(("annotation", "expected"), SCHEMAS)
def test_an_annotation_becomes_exactly_this_schema(annotation, expected):
    made = schema(annotation)
    assert made == expected
    assert_valid_in_both_drafts(made)


CONVERSIONS = [
    (set[str], ["a", "a"], {"a"}),
    (frozenset[int], [1], frozenset({1})),
    (tuple[int, ...], [1, 2], (1, 2)),
    (tuple[int, datetime.date], [1, "2026-01-31"], (1, datetime.date(2026, 1, 31))),
    (collections.deque[int], [1], collections.deque([1])),
    (list[Colour], ["red"], [Colour.RED]),
    (dict[str, datetime.date], {"a": "2026-01-31"}, {"a": datetime.date(2026, 1, 31)}),
    (dict[int, str], {"7": "x"}, {7: "x"}),
    (dict[Colour, int], {"red": 1}, {Colour.RED: 1}),
    (Colour | None, None, None),
    (Optional[Colour], "blue", Colour.BLUE),  # noqa: UP045 (old spelling must work),
    (Literal[Colour.RED, "x"], "red", Colour.RED),
    (Literal[Colour.RED, "x"], "x", "x"),
    (Level, 2, Level.HIGH),
    (Mood, "calm", Mood.CALM),
    (Corner, "END", Corner.END),
    (Right, 3, Right.READ | Right.WRITE),
    (
        datetime.datetime,
        "2026-01-31T09:30:00Z",
        datetime.datetime(2026, 1, 31, 9, 30, tzinfo=datetime.UTC),
    ),
    (datetime.time, "09:30", datetime.time(9, 30)),
    (datetime.timedelta, 90, datetime.timedelta(seconds=90)),
    (pathlib.Path, "a/b", pathlib.Path("a/b")),
    (
        uuid.UUID,
        "123e4567-e89b-12d3-a456-426614174000",
        uuid.UUID("123e4567-e89b-12d3-a456-426614174000"),
    ),
    (bytes, "AP8=", b"\x00\xff"),
    (bytes, "AP8", b"\x00\xff"),
    (bytes, "-_8=", b"\xfb\xff"),
    (decimal.Decimal, "1.10", decimal.Decimal("1.10")),
    (decimal.Decimal, 1.1, decimal.Decimal("1.1")),
    (re.Pattern[str], "a+", re.compile("a+")),
    (ipaddress.IPv4Address, "127.0.0.1", ipaddress.IPv4Address("127.0.0.1")),
    (datetime.date | str, "soon", "soon"),
    (datetime.date | str, "2026-01-31", datetime.date(2026, 1, 31)),
]


@pytest.mark.parametrize(("annotation", "given_value", "expected"), CONVERSIONS)
def test_a_json_value_becomes_the_annotated_type(annotation, given_value, expected):
    got = convert(annotation, given_value)
    assert got == expected
    assert type(got) is type(expected)


REFUSED = [
    (datetime.date, "soon", "'soon' is not a date such as 2026-01-31"),
    (list[datetime.date], ["2026-01-31", "x"], "[1]: 'x' is not a date such as 2026-01-31"),
    (
        dict[str, uuid.UUID],
        {"a": "x"},
        "a: 'x' is not a UUID such as 123e4567-e89b-12d3-a456-426614174000",
    ),
    (Colour, "green", "'green' is not one of 'red', 'blue'"),
    (Corner, "SIDE", "'SIDE' is not one of 'TOP', 'END'"),
    (re.Pattern, "(", "'(' is not a regular expression"),
    (bytes, "?", "'?' is not base64 text"),
    (decimal.Decimal, "NaN", "'NaN' is not a decimal number"),
    (tuple[int, str], ["a", 1], "[0]: 'a' does not fit {'type': 'integer'}"),
    (tuple[int, str], [1], "expected 2 items, got 1"),
]


@pytest.mark.parametrize(("annotation", "value", "message"), REFUSED)
def test_a_value_that_does_not_convert_is_refused_in_words(annotation, value, message):
    with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
        convert(annotation, value)


BAD = [
    (typing.Callable[[int], str], "Callable"),
    (type[int], "type[int]"),
    (complex, "complex"),
    (Any.__class__, "no JSON form"),
    (dict[float, int], "keys of type float"),
    (dict[str], "one for its values"),
    (Literal[b"x"], "no JSON form"),
    (list[NOWHERE], "'Nowhere'"),
    (list[BROKEN], "cannot be read"),
    (enum.Enum("Empty", {}), "no members"),
]


@pytest.mark.parametrize(("annotation", "message"), BAD)
def test_an_annotation_without_a_json_form_is_refused(annotation, message):
    with pytest.raises(BadAnnotation, match=re.escape(message)) as caught:
        form(annotation)
    assert caught.value.hint


def test_a_recursive_alias_lives_in_defs():
    union = {
        "anyOf": [
            STRING,
            INTEGER,
            {"type": "array", "items": {"$ref": "#/$defs/Json"}},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
            {"type": "null"},
        ]
    }
    made, definitions = form(Json)
    assert made.schema == union
    assert definitions == {"Json": union}
    assert made.convert is None


Number = typing_extensions.TypeAliasType("Number", int | float)
Nest = typing_extensions.TypeAliasType("Nest", "list[Nest] | int")


def test_a_type_statement_is_its_value():
    assert schema(Number) == NUMBER
    nest = {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Nest"}}, INTEGER]}
    assert schema(Nest) == {"$ref": "#/$defs/Nest", "$defs": {"Nest": nest}}


@pytest.mark.parametrize(
    "annotation",
    [
        str,
        int,
        Any,
        list[str],
        dict[str, list[int]],
        str | None,
        Literal["a"],
        UserId,
        Sequence[str],
    ],
)
def test_a_plain_json_type_needs_no_converter(annotation):
    assert form(annotation)[0].convert is None


def test_a_schema_handed_out_shares_nothing_with_the_next_one():
    schema(Colour)["enum"].append("green")
    schema(datetime.date)["format"] = "x"
    assert schema(Colour) == {"type": "string", "enum": ["red", "blue"]}
    assert schema(datetime.date) == {"type": "string", "format": "date"}
