import dataclasses
import datetime
import enum
import functools
import subprocess
import sys
import types
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, Unpack

import jsonschema_rs
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.schema.annotations.field import Field
from hermes.schema.annotations.rich import settle_defaults
from hermes.schema.signature import Described, describe


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


def parameters(function):
    made = describe(function).parameters
    for draft in (
        "https://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft-07/schema#",
    ):
        jsonschema_rs.meta.validate({"$schema": draft, **made})
    return made


def get_weather(
    city: str,
    days: int = 3,
    unit: Literal["celsius", "fahrenheit"] = "celsius",
    near: Annotated[str | None, "A landmark."] = None,
    *,
    limit: Annotated[int, Field(ge=1, le=10)] = 5,
    ctx: Any,
) -> dict[str, Any]:
    """Return the weather of a city.

    Use it before advising on clothes.

    Args:
        city: The city's name.
        days (int): How many days.
        near: Loses against the annotation.
        limit: At most
            this many.
        ctx: Not for the model.

    Returns:
        The forecast.
    """


def test_a_function_is_described_whole():
    assert describe(get_weather) == Described(
        description="Return the weather of a city.\n\nUse it before advising on clothes.",
        parameters={
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The city's name."},
                "days": {"type": "integer", "description": "How many days.", "default": 3},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
                "near": {"type": ["string", "null"], "description": "A landmark."},
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 10,
                    "description": "At most this many.",
                    "default": 5,
                },
            },
            "required": ["city"],
            "additionalProperties": False,
        },
        converters={},
        wants_context=True,
    )
    assert list(parameters(get_weather)["properties"]) == ["city", "days", "unit", "near", "limit"]


def test_a_function_without_parameters_has_an_empty_object():
    def nothing(): ...

    assert describe(nothing) == Described(
        "", {"type": "object", "properties": {}, "additionalProperties": False}, {}, False
    )


def test_an_async_function_is_described_alike():
    async def fetch(url: str): ...

    assert parameters(fetch)["required"] == ["url"]


@pytest.mark.parametrize(
    ("default", "written"),
    [
        (3, 3),
        ("a", "a"),
        (False, False),
        ([1, None], [1, None]),
        ((1, 2), [1, 2]),
        ({"b", "a"}, ["a", "b"]),
        ({"a": [1]}, {"a": [1]}),
        (Colour.RED, "red"),
        (Path("a"), "a"),
        (datetime.date(2026, 1, 31), "2026-01-31"),
        (datetime.timedelta(seconds=90), 90.0),
        (b"\x00", "AA=="),
        (Point(1), {"x": 1, "y": 0}),
    ],
)
def test_a_default_is_written_as_json(default, written):
    def function(x=default): ...

    assert parameters(function)["properties"] == {"x": {"default": written}}


@pytest.mark.parametrize("default", [None, object(), float("nan"), [object()], int, print])
def test_a_default_without_json_form_is_left_out_and_the_parameter_optional(default):
    def function(x=default): ...

    assert parameters(function) == {
        "type": "object",
        "properties": {"x": {}},
        "additionalProperties": False,
    }


@pytest.mark.parametrize("field", [Field, pydantic.Field])
def test_a_field_as_default_limits_and_fills(field):
    def function(
        a: int = field(5, ge=1, description="Words."),
        b: str = field(..., max_length=3),
        *,
        c: int = field(default=7),
    ):
        return a, b, c

    assert parameters(function) == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 1, "description": "Words.", "default": 5},
            "b": {"type": "string", "maxLength": 3},
            "c": {"type": "integer", "default": 7},
        },
        "required": ["b"],
        "additionalProperties": False,
    }
    assert function(b="x") == (5, "x", 7)
    assert parameters(function)["properties"]["c"] == {"type": "integer", "default": 7}


def test_settling_defaults_leaves_other_defaults_alone():
    marker, field = object(), Field(2)

    def function(a=marker, b=field):
        return a, b

    settle_defaults(function)
    assert function() == (marker, 2)


def test_converters_exist_only_where_a_type_needs_one():
    def function(a: str, b: list[int], c: Point, d: list[datetime.date] | None = None): ...

    converters = describe(function).converters
    assert list(converters) == ["c", "d"]
    assert converters["c"]({"x": 1}) == Point(1)
    assert converters["d"](["2026-01-31"]) == [datetime.date(2026, 1, 31)]
    assert converters["d"](None) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def everything(
    a: Point,
    b: list[Point],
    c: dict[str, datetime.date],
    d: Colour | Point | None,
    e: tuple[int, Path],
    f: datetime.timedelta,
    g: set[int],
    h: bytes,
    i: dict[int, Colour],
): ...


@given(st.sampled_from(list(describe(everything).converters.values())), JSON)
def test_a_converter_raises_nothing_but_value_error(convert, value):
    try:
        convert(value)
    except ValueError as error:
        assert str(error)


def test_further_keywords_open_the_object():
    def function(a: int, **more): ...

    assert parameters(function)["additionalProperties"] is True


def test_further_keywords_may_be_typed():
    def function(**more: "list[int]"): ...

    expected = {"type": "array", "items": {"type": "integer"}}
    assert parameters(function)["additionalProperties"] == expected


class Options(TypedDict, total=False):
    day: datetime.date


def test_an_unpacked_typed_dict_is_spread():
    def function(a: int, **options: Unpack[Options]): ...

    described = describe(function)
    assert described.parameters == {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "day": {"type": "string", "format": "date"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert list(described.converters) == ["day"]


def test_ctx_is_reserved_wherever_it_stands():
    def first(ctx: "NotImported", a: int): ...  # noqa: F821 (the point: it is never looked up)

    def last(a: int, ctx=None): ...

    for function in (first, last):
        described = describe(function)
        assert described.wants_context
        assert list(described.parameters["properties"]) == ["a"]


class WithContext(TypedDict):
    ctx: Any
    day: datetime.date


def test_ctx_is_reserved_among_unpacked_keys_too():
    def function(**options: Unpack[WithContext]): ...

    described = describe(function)
    assert described.wants_context
    assert list(described.parameters["properties"]) == ["day"]


def test_a_context_that_a_partial_gives_is_not_asked_for():
    def function(a: int, ctx=None): ...

    described = describe(functools.partial(function, ctx=1))
    assert not described.wants_context
    assert list(described.parameters["properties"]) == ["a"]


def test_string_annotations_are_resolved():
    module = types.ModuleType("somewhere")
    source = """
from __future__ import annotations
import datetime
from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired, TypedDict, TYPE_CHECKING
from hermes.schema.annotations.field import Field
if TYPE_CHECKING:
    from hermes.tools import ToolContext

@dataclass
class Leg:
    day: datetime.date
    stops: list[Leg] | None = None
    note: Annotated[str, "Free text."] = ""

class Extra(TypedDict):
    a: int
    b: NotRequired[str]

def plan(
    name: str,
    legs: list[Leg],
    extra: Extra | None = None,
    mode: Literal["a", "b"] = "a",
    count: Annotated[int, Field(ge=1)] = 2,
    *,
    ctx: ToolContext,
) -> Unknown: ...
"""
    sys.modules["somewhere"] = module
    try:
        exec(source, vars(module))
        described = describe(module.plan)
        assert parameters(module.plan) == described.parameters
        convert = described.converters["legs"]
        assert convert([{"day": "2026-01-31"}]) == [module.Leg(datetime.date(2026, 1, 31))]
    finally:
        del sys.modules["somewhere"]
    leg = {
        "type": "object",
        "properties": {
            "day": {"type": "string", "format": "date"},
            "stops": {
                "anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Leg"}}, {"type": "null"}]
            },
            "note": {"type": "string", "description": "Free text.", "default": ""},
        },
        "required": ["day"],
        "additionalProperties": False,
    }
    extra = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert described.parameters == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "legs": {"type": "array", "items": {"$ref": "#/$defs/Leg"}},
            "extra": {"anyOf": [extra, {"type": "null"}]},
            "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "count": {"type": "integer", "minimum": 1, "default": 2},
        },
        "required": ["name", "legs"],
        "additionalProperties": False,
        "$defs": {"Leg": leg},
    }
    assert described.wants_context


def test_a_class_made_in_a_function_is_found_through_the_closure():
    @dataclasses.dataclass
    class Local:
        x: "int"

    def function(a: "list[Local]"):
        return Local

    assert describe(function).converters["a"]([{"x": 1}]) == [Local(1)]


def test_two_descriptions_share_nothing():
    first, second = describe(get_weather), describe(get_weather)
    first.parameters["properties"]["unit"]["enum"].append("kelvin")
    assert second.parameters["properties"]["unit"]["enum"] == ["celsius", "fahrenheit"]


def test_importing_and_describing_loads_nothing_heavy():
    code = """
import sys
from typing import Literal
from hermes.schema.signature import describe
def f(a: str, b: "int | None" = None, c: list[str] | Literal["x"] = "x", d: float = 0.5, *, ctx):
    '''Do it.

    Args:
        a: A word.

    Returns:
        Another.
    '''
describe(f)
heavy = ("dataclasses", "inspect", "msgspec", "pydantic", "asyncio", "jsonschema_rs", "pathlib",
         "hermes.schema.annotations.rich", "hermes.schema.annotations.types",
         "hermes.schema.annotations.field", "hermes.schema.docstring_styles")
print([name for name in heavy if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
