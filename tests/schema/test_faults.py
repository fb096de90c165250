import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.schema.faults import schema_faults

CYCLE = {"type": "object", "properties": {}}
CYCLE["properties"]["self"] = CYCLE


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "strng"}, "names no type"),
        ({"properties": {"a": {"type": ["string", "nul"]}}}, "properties.a.type"),
        ({"required": "a"}, "list of names"),
        ({"properties": []}, "must be an object"),
        ({"anyOf": {}}, "must be a list"),
        ({"items": 5}, "must be an object or a boolean"),
        ({"enum": "abc"}, "must be a list"),
        ({"enum": [object()]}, "JSON does not have"),
        ({"default": {1, 2}}, "not a JSON value"),
        ({"pattern": "("}, "regular expression"),
        ({"$ref": "#/$defs/nothing"}, "leads nowhere"),
        (CYCLE, "contains itself"),
    ],
)
def test_a_broken_schema_is_told_with_the_place(schema, words):
    assert any(words in fault for fault in schema_faults(schema))


@pytest.mark.parametrize(
    "schema",
    [
        {},
        True,
        {"type": "object", "properties": {"a": {"type": ["integer", "null"], "default": None}}},
        {"$defs": {"n": {"type": "integer"}}, "properties": {"a": {"$ref": "#/$defs/n"}}},
        {"pattern": r"\p{L}+"},
        {"type": "array", "items": {"enum": [1, "a", None]}, "minItems": 1},
    ],
)
def test_a_sound_schema_has_no_faults(schema):
    assert schema_faults(schema) == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "properties", "items", "enum", "required", "anyOf"]),
                inner,
                max_size=4,
            )
        ),
    )
)
def test_any_value_is_judged_without_raising(value):
    assert all(isinstance(fault, str) and fault for fault in schema_faults(value))
