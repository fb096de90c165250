"""The sloppy calls that models make, on one typed function's schema."""

import pytest

from hermes.schema.check import problems
from hermes.schema.coerce import coerce

SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "flag": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "ratio": {"type": "number", "default": 1.5},
        "opts": {
            "anyOf": [
                {"type": "object", "additionalProperties": {"type": "integer"}},
                {"type": "null"},
            ],
            "default": None,
        },
        "method": {"type": "string", "enum": ["GET", "POST"], "default": "GET"},
        "label": {"type": "string", "default": "x"},
    },
    "required": ["n", "flag", "tags"],
    "additionalProperties": False,
}
GOOD = {"n": 1, "flag": True, "tags": ["a"]}

CASES = {
    "int from text": ({"n": "42"}, {"n": 42}),
    "int from decimal text": ({"n": "3.0"}, {"n": 3}),
    "int from whole float": ({"n": 3.0}, {"n": 3}),
    "bool from true": ({"flag": "true"}, {"flag": True}),
    "bool from True": ({"flag": "True"}, {"flag": True}),
    "bool from 1": ({"flag": 1}, {"flag": True}),
    "list from JSON text": ({"tags": '["a", "b"]'}, {"tags": ["a", "b"]}),
    "list from Python text": ({"tags": "['a', 'b']"}, {"tags": ["a", "b"]}),
    "list from bare scalar": ({"tags": "a"}, {"tags": ["a"]}),
    "dict from JSON text": ({"opts": '{"k": 1}'}, {"opts": {"k": 1}}),
    "null for Optional": ({"note": None}, {"note": None}),
    "null for a default": ({"ratio": None}, {}),
    "null text for Optional dict": ({"opts": "null"}, {"opts": None}),
    "text from number": ({"label": 42}, {"label": "42"}),
    "enum in another case": ({"method": "get"}, {"method": "GET"}),
    "extra key": ({"verbose": True}, {}),
}


def typed(value):
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return type(value), value


@pytest.mark.parametrize("case", CASES)
@pytest.mark.proves("fit-sloppy")
def test_a_sloppy_call_comes_out_right(case):
    given, right = CASES[case]
    coerced = coerce(SCHEMA, GOOD | given, drop_unknown=True)
    without = {key: item for key, item in GOOD.items() if key not in given}
    assert typed(coerced.value) == typed(without | right)
    assert problems(SCHEMA, coerced.value) == []


def test_a_missing_required_argument_is_refused_by_name():
    coerced = coerce(SCHEMA, {"n": 1, "flag": True}, drop_unknown=True)
    (problem,) = problems(SCHEMA, coerced.value)
    assert problem.sentence() == "missing 'tags' (list of strings)"


def test_an_extra_key_stays_and_is_reported_where_it_must_not_be_ignored():
    coerced = coerce(SCHEMA, GOOD | {"verbose": True})
    assert coerced.unknown == ["verbose"]
    assert coerced.value == GOOD | {"verbose": True}
    (problem,) = problems(SCHEMA, coerced.value)
    assert problem.message == "unknown argument 'verbose'"


def test_everything_sloppy_at_once_comes_out_right():
    given = {}
    for case, (part, _right) in CASES.items():
        if case not in ("int from text", "bool from 1"):
            given |= part
    coerced = coerce(SCHEMA, given, drop_unknown=True)
    assert problems(SCHEMA, coerced.value) == []
    assert coerced.unknown == ["verbose"]
