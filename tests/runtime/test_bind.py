"""Binding: arguments that fit pass as they are, others are repaired or refused whole."""

import copy
from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import InvalidArguments, ToolError
from hermes.runtime.bind import bind
from hermes.runtime.declare import entry_of


@dataclass
class Point:
    x: int
    y: int = 0


def paint(colour: Literal["red", "blue"], points: list[Point], note: str | None = None):
    """Paint."""


def bound(arguments, **traits):
    entry = entry_of(paint, **traits)
    return bind(entry, entry.spec(), arguments)


def test_arguments_that_fit_are_not_changed():
    given = {"colour": "red", "points": [{"x": 1, "y": 2}], "note": None}
    fitted, changes = bound(given)
    assert fitted == given and changes == ()


@pytest.mark.proves("fit-exact")
@pytest.mark.parametrize(
    "given",
    [
        {"Colour": "RED ", "points": {"x": "1"}, "note": ""},
        {"colour": "red", "points": '[{"x": 1.0}]'},
        {"color": "blue", "points": [{"x": "4.0", "y": "2"}]},
    ],
)
def test_sloppy_arguments_are_fitted_with_each_change_told_and_the_given_left_alone(given):
    before = copy.deepcopy(given)
    fitted, changes = bound(given)
    assert set(fitted) <= {"colour", "points", "note"}
    assert all(type(point["x"]) is int for point in fitted["points"])
    assert changes and all(isinstance(change, str) for change in changes)
    assert given == before


@pytest.mark.parametrize(
    "text",
    [
        '{"colour": "red", "points": [{"x": 1}]}',
        b'{"colour": "red", "points": [{"x": 1}]}',
        bytearray(b'{"colour": "red", "points": [{"x": 1}]}'),
        '"{\\"colour\\": \\"red\\", \\"points\\": [{\\"x\\": 1}]}"',
        "{'colour': 'red', 'points': [{'x': 1}],}",
        '```json\n{"colour": "red", "points": [{"x": 1}]}\n```',
    ],
)
def test_arguments_may_come_as_text(text):
    assert bound(text)[0] == {"colour": "red", "points": [{"x": 1}]}


@pytest.mark.parametrize("nothing", [None, "", "null", {}])
@pytest.mark.proves("fit-all-problems")
def test_no_arguments_are_an_empty_object_whose_problems_come_all_at_once(nothing):
    with pytest.raises(InvalidArguments) as caught:
        bound(nothing)
    assert len(caught.value.extra["problems"]) == 2
    assert caught.value.hint == "It takes: colour*, points*, note (* required)."


@pytest.mark.parametrize("wrong", [5, True, [1, 2], "just words", ["a"], 1.5, b"\xff\xfe"])
def test_what_is_no_object_is_refused(wrong):
    with pytest.raises(ToolError):
        bound(wrong)


def test_a_problem_names_place_given_expected_and_nearest():
    with pytest.raises(InvalidArguments) as caught:
        bound({"colour": "rde", "points": [{"x": 1}, {"x": "two"}]})
    text = str(caught.value)
    assert "points[1].x" in text and "two" in text and "integer" in text
    assert "rde" in text and "'red'" in text.replace('"', "'")


@pytest.mark.proves("fit-malformed")
@pytest.mark.parametrize(
    ("effects", "completed"),
    [("read", True), ("none", True), ("write", False), ("network", False), (None, False)],
)
def test_a_text_that_was_cut_off_is_completed_only_for_a_tool_that_reads(effects, completed):
    text = '{"colour": "red", "points": [{"x": 1}], "note": "abc'
    if completed:
        fitted, changes = bound(text, effects=effects)
        assert fitted["colour"] == "red" and changes
    else:
        with pytest.raises(ToolError) as caught:
            bound(text, effects=effects)
        assert caught.value.code == "malformed_arguments"


@pytest.mark.parametrize("effects", [lambda args: {"read"}, None])
def test_effects_that_depend_on_the_arguments_count_as_effects(effects):
    given = {"colour": "red", "points": [], "dry_run": True}
    if effects:
        with pytest.raises(InvalidArguments, match="dry_run"):
            bound(given, effects=effects)
    else:
        assert "dry_run" not in bound(given, effects="read")[0]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)
near_misses = st.fixed_dictionaries(
    {},
    optional={
        "colour": json_values | st.sampled_from(["red", "BLUE", " red"]),
        "points": json_values | st.lists(st.fixed_dictionaries({"x": json_values})),
        "note": json_values,
        "other": json_values,
    },
)


@pytest.mark.proves("fit-idempotent")
@given(near_misses | json_values, st.sampled_from(["read", "write"]))
def test_what_was_fitted_once_fits_as_it_is(arguments, effects):
    before = copy.deepcopy(arguments)
    try:
        fitted, _ = bound(arguments, effects=effects)
    except ToolError:
        return
    finally:
        assert repr(arguments) == repr(before)
    again, changes = bound(fitted, effects=effects)
    assert again == fitted and changes == ()
