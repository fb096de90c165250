"""The fast question: yes only where validator and coercion would both leave the value alone."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.schema.check import Checker
from hermes.schema.coerce import coerce
from hermes.schema.exact import exact

FLAT = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "title": "Path", "format": "path"},
        "limit": {"type": "integer", "default": 5},
        "all": {"type": "boolean"},
    },
    "required": ["path"],
    "additionalProperties": False,
}
OBJECT = {"type": "object"}

FITTING = [
    (FLAT, {"path": "x", "limit": 3, "all": True}),
    (FLAT, {"path": "x"}),
    ({"type": "string"}, ""),
    ({"type": "string", "minLength": 2, "maxLength": 3}, "ab"),
    ({"type": "integer"}, 2**80),
    ({"type": "integer", "minimum": 1, "exclusiveMaximum": 5}, 4),
    ({"type": "number"}, 1),
    ({"type": "number", "maximum": 1.5}, 1.5),
    ({"type": "boolean"}, False),
    ({"type": "null"}, None),
    ({"enum": ["a", 1, None, True]}, 1),
    ({"type": "string", "enum": ["a", "b"]}, "b"),
    ({"const": "a"}, "a"),
    ({"type": "array"}, [1, "a", None, {"b": [1.5]}]),
    ({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2}, ["a"]),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
    ({"oneOf": [{"type": "string"}, {"type": "null"}]}, "a"),
    ({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}, 1),
    ({"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "string", "minLength": 1}]}, "a"),
    ({"type": ["integer", "null"], "minimum": 1}, None),
    ({"type": ["integer", "null"], "minimum": 1}, 1),
    (
        {"type": "object", "properties": {"o": FLAT}, "additionalProperties": False},
        {"o": {"path": "x"}},
    ),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1}),
    ({"type": "object", "properties": {"a": {}}, "additionalProperties": True}, {"a": 1, "b": [2]}),
    (OBJECT, {"any": {"thing": [1]}}),
    ({}, {"any": {"thing": [1]}}),
]


@pytest.mark.parametrize(("schema", "value"), FITTING)
def test_a_value_that_fits_exactly_gets_a_yes(schema, value):
    assert exact(schema)(value) is True
    assert Checker(schema).problems(value) == []
    coerced = coerce(schema, value)
    assert coerced.value is value
    assert coerced.changes == []


class Text(str):
    """Stands for any subclass: only the plain types are exact."""

    __slots__ = ()


NOT_FITTING = [
    (FLAT, {}),
    (FLAT, {"path": "x", "other": 1}),
    (FLAT, {"path": "x", "limit": True}),
    (FLAT, {"path": "x", "limit": 3.0}),
    (FLAT, {"path": "x", "limit": "3"}),
    (FLAT, {"path": "x", "all": 1}),
    (FLAT, {"path": None}),
    (FLAT, {"path": Text("x")}),
    (FLAT, {"limit": 1, "all": True, 5: 5}),
    (FLAT, []),
    (FLAT, None),
    ({"type": "string", "minLength": 2}, "a"),
    ({"type": "string", "maxLength": 2}, "abc"),
    ({"type": "integer", "exclusiveMaximum": 5}, 5),
    ({"type": "number"}, math.nan),
    ({"type": "number"}, math.inf),
    ({"type": "number"}, True),
    ({}, math.nan),
    ({}, {1, 2}),
    ({}, {1: 2}),
    (OBJECT, {"a": object()}),
    ({"enum": [1]}, True),
    ({"enum": [1]}, 1.0),
    ({"enum": ["a"]}, []),
    ({"type": "string", "enum": [1]}, 1),
    ({"type": "array", "minItems": 1}, []),
    ({"type": "array", "items": {"type": "string"}}, ["a", 1]),
    ({"type": "array"}, (1,)),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": "1"}),
    ({"type": "object", "required": ["a"]}, {}),
]


@pytest.mark.parametrize(("schema", "value"), NOT_FITTING)
def test_anything_else_gets_a_no(schema, value):
    assert exact(schema)(value) is False


UNCOVERED = [
    {"type": "string", "pattern": "a"},
    {"type": "string", "format": "date-time"},
    {"type": "string", "format": "uuid"},
    {"not": {}},
    {"if": {}},
    {"$ref": "#"},
    {"allOf": [{}]},
    {"type": "array", "uniqueItems": True},
    {"type": "array", "items": [{}]},
    {"type": "array", "items": {"pattern": "a"}},
    {"type": "integer", "multipleOf": 2},
    {"type": "strange"},
    {"type": ["string", "strange"]},
    {"type": "object", "properties": {"a": {"pattern": "a"}}},
    {"type": "object", "patternProperties": {}},
    {"type": "object", "required": ["a"], "additionalProperties": False},
    {"type": "object", "required": [[]]},
    {"oneOf": [{"type": "integer"}, {"type": "number"}]},
    {"oneOf": [{"enum": [1]}, {"type": "string"}]},
    {"anyOf": [{"type": "integer"}, {"pattern": "a"}]},
    {"anyOf": 5},
    {"oneOf": 5},
    {"enum": 5},
    {"enum": [[1]]},
    {"enum": ["a"], "minLength": 1},
    {"type": "string", "minLength": "x"},
    {"type": "integer", "minimum": None},
    {"type": "array", "minItems": "x"},
    {"type": "object", "properties": 5},
    {"x-unknown": 1},
    False,
    None,
    5,
]


@pytest.mark.parametrize("schema", UNCOVERED)
def test_a_schema_with_more_than_is_covered_has_no_fast_answer(schema):
    assert exact(schema) is None


def test_a_schema_nested_without_end_has_no_fast_answer():
    schema = {"type": "string"}
    for _ in range(100):
        schema = {"type": "array", "items": schema}
    assert exact(schema) is None


def test_a_deep_value_is_left_to_the_slow_path():
    value = []
    for _ in range(500):
        value = [value]
    assert exact({})(value) is False


keys = st.sampled_from(["a", "b", "path", "file_path"])
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats()
    | st.sampled_from(["", "null", "a", "ab", "1", "true"])
)
values = st.recursive(
    scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(keys, v, max_size=3), max_leaves=6
)
leaves = (
    st.sampled_from(
        [{"type": t} for t in ("string", "integer", "number", "boolean", "null", "array", "object")]
    )
    | st.sampled_from([{}, {"type": ["integer", "null"]}, {"type": "string", "maxLength": 1}])
    | st.sampled_from([{"type": "number", "minimum": 0}, {"enum": ["a", 1, True]}, {"const": None}])
)


def composed(inner):
    properties = st.dictionaries(keys, inner, max_size=3)
    return (
        inner.map(lambda s: {"type": "array", "items": s})
        | st.lists(inner, min_size=1, max_size=3).map(lambda b: {"anyOf": b})
        | st.lists(inner, min_size=1, max_size=3).map(lambda b: {"oneOf": b})
        | st.tuples(properties, st.sampled_from([{}, {"additionalProperties": False}])).map(
            lambda p: {"type": "object", "properties": p[0], "required": list(p[0])[:1], **p[1]}
        )
        | inner.map(lambda s: {"type": "object", "additionalProperties": s})
    )


@settings(max_examples=800, deadline=None)
@given(st.recursive(leaves, composed, max_leaves=5), values, st.booleans())
def test_a_yes_means_no_problem_and_no_change(schema, value, drop):
    check = exact(schema)
    if check is not None and check(value):
        assert Checker(schema).problems(value) == []
        coerced = coerce(schema, value, drop_unknown=drop)
        assert coerced.value is value
        assert coerced.changes == []
        assert coerced.unknown == []
