"""Any JSON value, and any text, as arguments to any tool: one JSON object comes back."""

import asyncio
import copy
import datetime
import enum
import json
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes import Runtime, tools
from hermes.runtime.declare import entry_of
from hermes.runtime.discovery import discover
from hermes.runtime.registry import ToolRegistry
from hermes.tools import Field

BUILT_IN = {entry.name: entry for entry in discover(tools).entries}
MOMENT = 0.05
"""No call takes longer: a tool that would wait an hour is stopped."""

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["", "null", "true", "0", "-1", "1e400", "NaN", "[]", "{}", "\ud800", "\0"])
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)


def aimed(parameters, values=json_values):
    """Objects with the tool's own keys, whose values may be right, nearly right or anything."""
    known = {
        name: values | st.sampled_from(schema.get("enum", [None, "1", 1]))
        for name, schema in parameters["properties"].items()
    }
    return st.fixed_dictionaries({}, optional={**known, "other": values})


def as_text(values):
    """JSON text, whole, doubly encoded or cut off; or no JSON at all."""
    texts = values.map(json.dumps)
    cut = st.tuples(texts, st.integers(0, 40)).map(lambda pair: pair[0][: pair[1]])
    return texts | texts.map(json.dumps) | cut | st.text(max_size=40)


def arguments_of(parameters):
    objects = aimed(parameters)
    return json_values | objects | as_text(objects) | st.binary(max_size=12)


def one_object(answer):
    assert isinstance(answer, str)
    answer.encode()
    value = json.loads(answer, parse_constant=pytest.fail)
    assert isinstance(value, dict)
    return value


@pytest.mark.proves("call-any-json")
@settings(max_examples=300)
@given(data=st.data())
def test_any_value_to_any_built_in_tool(rt, data):
    name = data.draw(st.sampled_from(sorted(BUILT_IN)))
    arguments = data.draw(arguments_of(BUILT_IN[name].parameters))
    before = copy.deepcopy(arguments)
    one_object(rt.call_sync(name, arguments, timeout_seconds=MOMENT))
    assert repr(arguments) == repr(before)


@pytest.mark.proves("call-any-json")
@given(json_values, json_values)
def test_any_value_as_the_name_of_a_tool(rt, name, arguments):
    one_object(rt.call_sync(name, arguments, timeout_seconds=MOMENT))


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Point:
    x: int
    y: float = 0.0


@dataclass
class Shape:
    points: list[Point]
    colour: Colour = Colour.RED
    tags: dict[str, int] = field(default_factory=dict)
    inner: "Shape | None" = None


class Options(TypedDict, total=False):
    deep: bool
    names: list[str]


def scalars_of_all_kinds(i: int, f: float, s: str, b: bool, n: None = None):
    return [i, f, s, b, n]


def choices(word: Literal["a", "b", 3], colour: Colour, level: Level = Level.LOW):
    return [word, colour, level]


def records(shape: Shape, options: Options | None = None):
    return {"shape": shape, "options": options}


def unions(either: int | str, many: list[int] | dict[str, Point] | None = None):
    return [either, many]


def nested(rows: list[list[dict[str, list[int | None]]]]):
    return rows


def bounded(
    n: Annotated[int, Field(ge=1, le=10)],
    word: Annotated[str, Field(pattern="^[a-z]+$", max_length=5)] = "a",
    items: Annotated[list[int], Field(min_length=1, max_length=3)] = (1,),
):
    return [n, word, items]


def formats(when: datetime.datetime, day: datetime.date, path: Path, id: uuid.UUID | None = None):
    return [when, day, path, id]


def loose(anything: Any, mapping: dict, sequence: list, rest: object = None):
    return [anything, mapping, sequence, rest]


def pairs(pair: tuple[int, str], several: set[str] | None = None):
    return [pair, several]


async def later(points: list[Point], *, ctx):
    await asyncio.sleep(0)
    return [ctx.task_id, points]


def nothing():
    return None


FUNCTIONS = (
    scalars_of_all_kinds,
    choices,
    records,
    unions,
    nested,
    bounded,
    formats,
    loose,
    pairs,
    later,
    nothing,
)
RAW = {
    "raw_any": {"type": "object"},
    "raw_refs": {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/tree"}},
        "required": ["tree"],
        "$defs": {
            "tree": {
                "type": "object",
                "properties": {
                    "value": {"type": ["integer", "null"]},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
                },
                "additionalProperties": False,
            }
        },
    },
    "raw_one_of": {
        "type": "object",
        "properties": {
            "what": {
                "oneOf": [
                    {
                        "type": "object",
                        "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}},
                    },
                    {
                        "type": "object",
                        "properties": {"kind": {"const": "b"}, "s": {"type": "string"}},
                    },
                    {"type": "array", "items": {"type": "number"}, "minItems": 2},
                ]
            },
            "more": {"additionalProperties": {"type": "integer"}, "type": "object"},
        },
    },
}


def synthetic():
    registry = ToolRegistry()
    for number, function in enumerate(FUNCTIONS):
        registry.add(entry_of(function, effects=("read", "write", None)[number % 3]))
    for name, schema in RAW.items():
        registry.register(name, "raw", schema, lambda args: args)
    return registry


SYNTHETIC = synthetic()


@pytest.fixture(scope="module")
def synthetic_rt(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HERMES_HOME", str(tmp_path_factory.mktemp("home")))
        with Runtime(registry=SYNTHETIC, config={"tools": {"timeout_seconds": 5}}) as made:
            yield made


def arguments_of_synthetic(entry):
    parameters = entry.parameters
    if "properties" not in parameters:
        return json_values
    return arguments_of(parameters)


@pytest.mark.proves("call-any-json")
@settings(max_examples=300)
@given(data=st.data())
def test_any_value_to_tools_of_many_shapes_gives_the_same_object_by_both_doors(synthetic_rt, data):
    entry = data.draw(st.sampled_from(SYNTHETIC.entries()))
    arguments = data.draw(arguments_of_synthetic(entry))
    before = copy.deepcopy(arguments)
    answer = one_object(synthetic_rt.call_sync(entry.name, arguments))
    again = one_object(asyncio.run(synthetic_rt.call(entry.name, arguments)))
    assert again == answer
    assert answer.get("code") not in ("internal", "tool_failed"), answer
    assert repr(arguments) == repr(before)


@pytest.mark.proves("call-any-json")
@settings(max_examples=60)
@given(data=st.data())
def test_any_message_of_calls_is_answered_call_by_call(synthetic_rt, data):
    names = st.sampled_from([entry.name for entry in SYNTHETIC.entries()])
    calls = data.draw(
        st.lists(st.fixed_dictionaries({"name": names, "arguments": json_values}), max_size=5)
    )
    answers = synthetic_rt.call_many_sync({"tool_calls": calls})
    assert [answer["name"] for answer in answers] == [call["name"] for call in calls]
    for answer in answers:
        one_object(answer["content"])


@pytest.mark.proves("call-any-json")
@settings(max_examples=100)
@given(value=json_values)
def test_arguments_that_fit_reach_the_handler_as_they_are(synthetic_rt, value):
    given_ = {"anything": value, "mapping": {"v": value}, "sequence": [value]}
    answer = one_object(synthetic_rt.call_sync("loose", given_))
    if "error" not in answer:
        assert answer["result"][0] == json.loads(plainly(value))


def plainly(value):
    from hermes.base.json import encode

    return encode(value)
