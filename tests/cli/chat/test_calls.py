"""One line tells what was called, how long it took and how much came back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.cli.chat.calls import Call, Trouble, arguments_of, diff_of, size, telling, trouble

SCHEMA = {"properties": {"path": {}, "limit": {}}, "required": ["path"]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({"limit": 5, "path": "a.py"}, "a.py limit=5"),
        ('{"path": "a.py"}', "a.py"),
        ({}, ""),
        (None, ""),
        ("no json", "no json"),
        ({"path": "x" * 100}, "x" * 59 + "…"),
        ({"path": "a\nb\x1b[2J"}, "a b␛[2J"),
        ({"path": "a", "b": 1, "c": 2, "d": 3, "e": 4, "f": 5}, "a b=1 c=2 d=3 +2"),
    ],
)
def test_needed_arguments_come_first_and_all_of_it_is_short(args, told):
    assert telling(args, SCHEMA) == told


@given(JSON)
def test_any_arguments_can_be_told(args):
    assert "\n" not in telling(args, SCHEMA)
    assert isinstance(arguments_of(args), dict)


@pytest.mark.parametrize(
    ("count", "told"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345, "12 kB"), (5_400_000, "5.4 MB")],
)
def test_sizes_are_as_people_write_them(count, told):
    assert size(count) == told


def test_a_call_tells_its_time_and_size():
    call = Call(1, "sleep", {"seconds": 1}, '{"slept":1}', False, 1.02)
    assert (call.what, call.facts) == ("1", "1.0 s · 11 B")


def test_the_error_of_an_answer_is_found():
    told = json.dumps({"error": "no", "code": "denied", "hint": None})
    assert trouble(told) == Trouble("no", "denied", "")
    assert trouble("broken {") == Trouble("broken {")


@pytest.mark.parametrize(
    ("result", "diff"),
    [
        ('{"diff": "@@ -1 +1 @@\\n-a\\n+b"}', "@@ -1 +1 @@\n-a\n+b"),
        ('{"diff": "none"}', ""),
        ('{"diff": 3}', ""),
        ('["diff"]', ""),
        ("{}", ""),
    ],
)
def test_a_diff_is_found_where_there_is_one(result, diff):
    assert diff_of(result) == diff
