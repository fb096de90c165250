import dataclasses
import datetime
import enum
import json as stdlib
import pathlib
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.json import NotJson, decode, encode, plain, pretty

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


@given(JSON)
def test_what_is_json_comes_back_as_it_was(value):
    assert decode(encode(value)) == value
    assert stdlib.loads(pretty(value)) == value


@pytest.mark.parametrize("number", [2**53 + 1, 9007199254740993, 10**40, -(10**40)])
def test_integers_of_any_size_are_exact(number):
    assert decode(str(number)) == number and encode(number) == str(number)


@pytest.mark.parametrize("text", ["", "{", "[1,]", "nul", '"\\x"', "1 2", "\ud800"])
def test_what_is_not_json_is_told(text):
    with pytest.raises(NotJson):
        decode(text)


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    at: object = None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), None),
        (float("inf"), None),
        (Colour.RED, "red"),
        (Point(1, {2}), {"x": 1, "at": [2]}),
        (datetime.date(2026, 1, 31), "2026-01-31"),
        (pathlib.PurePosixPath("/a"), "/a"),
        (uuid.UUID(int=0), "00000000-0000-0000-0000-000000000000"),
        (b"text", "text"),
        (b"\xff", {"base64": "/w==", "bytes": 1}),
        ({1: 2, None: 3}, {"1": 2, "None": 3}),
        ("\ud800", "?"),
        (iter([1, 2]), [1, 2]),
    ],
)
def test_what_json_cannot_say_becomes_the_nearest_it_can(value, expected):
    assert plain(value) == expected


def test_cycles_and_depth_end():
    cycle = {}
    cycle["self"] = cycle
    assert plain(cycle) == {"self": "<cycle>"}
    deep = []
    for _ in range(500):
        deep = [deep]
    assert "<nested too deeply>" in encode(plain(deep))
