"""Checking: every problem at once, in words a model can act on; broken schemas named."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.base.errors import ConfigError
from hermes.schema import check
from hermes.schema.check import Checker, Problem, problems, schema_problems, sentences
from hermes.schema.fitting.words import expected, place, shown

SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "where to write\nand more"},
        "days": {"type": "integer", "minimum": 1, "maximum": 30},
        "method": {"enum": ["GET", "POST"]},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
            },
        },
    },
    "required": ["path"],
    "additionalProperties": False,
}


def said(schema, value):
    return [problem.sentence() for problem in problems(schema, value)]


def test_a_value_that_fits_has_no_problems():
    assert problems(SCHEMA, {"path": "x", "days": 3, "items": [{"name": "a"}]}) == []


@pytest.mark.proves("fit-all-problems")
def test_all_problems_are_reported_at_once_in_the_order_of_their_places():
    value = {"pth": "x", "days": "soon", "method": "PST", "items": [{"name": "a"}, {"name": 1}, {}]}
    assert said(SCHEMA, value) == [
        "'days': given \"soon\", expected an integer from 1 to 30",
        "'items[1].name': given 1, expected a string",
        "missing 'items[2].name' (string)",
        '\'method\': given "PST", expected one of "GET", "POST". Did you mean "POST"?',
        "missing 'path' (string: where to write)",
        "unknown argument 'pth'. Did you mean 'path'?",
    ]


def test_a_problem_names_its_parts():
    assert problems(SCHEMA, {"path": "x", "days": 99}) == [
        Problem(
            path="days",
            message="'days': given 99, expected an integer from 1 to 30",
            given="99",
            expected="an integer from 1 to 30",
            nearest="30",
        )
    ]


TYPED = [
    ({"type": "object"}, 5, "5", "an object"),
    ({"type": "array", "items": {"type": "string"}}, 5, "5", "a list of strings"),
    ({"type": ["integer", "null"]}, "x", '"x"', "an integer or null"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", '"x"', "an integer or null"),
    (
        {"oneOf": [{"$ref": "#/$defs/n"}, {"type": "boolean"}], "$defs": {"n": {"type": "number"}}},
        "x",
        '"x"',
        "a number or true or false",
    ),
    ({"const": "v1"}, "v2", '"v2"', '"v1"'),
    ({"type": "integer", "minimum": 3}, 1, "1", "an integer of at least 3. Did you mean 3?"),
    ({"type": "number", "maximum": 3}, 9, "9", "a number of at most 3. Did you mean 3?"),
    ({"type": "number", "exclusiveMinimum": 0}, 0, "0", "a number above 0"),
    ({"type": "integer", "multipleOf": 5}, 3, "3", "an integer that is a multiple of 5"),
    ({"type": "string", "minLength": 2}, "a", '"a"', "a string with at least 2 characters"),
    ({"type": "string", "pattern": "^a"}, "b", '"b"', "a string matching ^a"),
    ({"type": "array", "maxItems": 1}, [1, 2], "[1, 2]", "a list with at most 1 items"),
    ({"type": "array", "uniqueItems": True}, [1, 1], "[1, 1]", "a list without duplicates"),
    ({"type": "string", "format": "date"}, "x", '"x"', "a date such as 2025-01-31"),
    ({"not": {"type": "string"}}, "x", '"x"', "another value"),
    ({"minProperties": 1}, {}, "{}", "an object with at least 1 members"),
    ({"maxProperties": 0}, {"a": 1}, '{"a": 1}', "an object with at most 0 members"),
    (
        {"oneOf": [{"type": "integer"}, {"type": "number"}]},
        1,
        "1",
        "a value that fits exactly one of the alternatives",
    ),
    (
        {"contains": {"type": "integer"}},
        ["a"],
        '["a"]',
        "a list with at least one item of the kind the schema names",
    ),
    ({"propertyNames": {"pattern": "^a"}}, {"b": 1}, '{"b": 1}', 'other keys than "b"'),
]


@pytest.mark.parametrize(("schema", "value", "given", "wanted"), TYPED)
def test_each_kind_of_problem_says_what_is_given_and_expected(schema, value, given, wanted):
    assert said(schema, value) == [f"arguments: given {given}, expected {wanted}"]


OTHERS = [
    ({"properties": {"a": False}}, {"a": 1}, "'a': given 1, expected nothing here"),
    ({"minLength": 2}, "a", 'arguments: given "a", but this is shorter than 2 characters'),
    ({"type": "object", "additionalProperties": False}, {"a": 1}, "unknown argument 'a'"),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "missing 'b' (value)"),
    ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"b": 1}, "unknown argument 'b'"),
]


@pytest.mark.parametrize(("schema", "value", "sentence"), OTHERS)
def test_other_problems_have_their_own_sentence(schema, value, sentence):
    assert said(schema, value) == [sentence]


def test_a_union_reports_the_branch_that_was_meant():
    schema = {
        "anyOf": [
            {"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]},
            {"$ref": "#/$defs/b"},
            {"type": "null"},
        ],
        "$defs": {
            "b": {"type": "object", "properties": {"k": {"const": "b"}, "n": {"type": "integer"}}}
        },
    }
    assert said(schema, {"k": "b", "n": "x"}) == ["'n': given \"x\", expected an integer"]


def test_integers_of_any_size_are_compared_exactly():
    schema = {"type": "integer", "maximum": 2**70}
    assert said(schema, 2**70) == []
    assert len(said(schema, 2**70 + 1)) == 1
    assert said({"enum": [2**53]}, 2**53 + 1) != []
    assert "digits" in said(schema, 10**6000)[0]


FORMATS = [
    ("date-time", "2025-01-31T09:30:00Z", True),
    ("date-time", "2025-01-31T09:30:00+02:00", True),
    ("date-time", "2025-01-31 09:30", True),
    ("date-time", "2025-01-31", False),
    ("date-time", "2025-13-31T09:30:00Z", False),
    ("date-time", "soon", False),
    ("date", "2025-01-31", True),
    ("date", "2025-02-30", False),
    ("uuid", "2f1c4e9c-0f3b-4f0e-9d7c-1d2b3c4d5e6f", True),
    ("uuid", "x", False),
    ("uri", "https://example.org/a?b=c", True),
    ("uri", "not a uri", False),
    ("email", "a@example.org", True),
    ("email", "a", False),
    ("path", "anything", True),
]


@pytest.mark.parametrize(("name", "text", "is_valid"), FORMATS)
def test_formats_are_asserted(name, text, is_valid):
    assert (problems({"type": "string", "format": name}, text) == []) is is_valid


NOT_JSON = [
    ({"a": {1, 2}}, "'a': given a Python set, expected a JSON value"),
    ({"a": [math.nan]}, "'a[0]': given NaN, expected a number that JSON can hold"),
    ({"a": -math.inf}, "'a': given -Infinity, expected a number that JSON can hold"),
    ({1: 2}, "arguments: the key 1 is not a string"),
    (b"x", "arguments: given a Python bytes, expected a JSON value"),
]


@pytest.mark.parametrize(("value", "sentence"), NOT_JSON)
def test_what_is_not_json_is_named(value, sentence):
    assert said({}, value) == [sentence]


def test_lone_surrogates_and_tuples_can_be_checked():
    assert problems({"type": "object"}, {"\ud800": "\ud800"}) == []
    assert said({"type": "integer"}, "\ud800") != []
    assert problems({"type": "array"}, (1, 2)) == []


def test_nesting_without_end_is_a_problem_and_no_crash():
    loop = []
    loop.append(loop)
    for value in (nested(1_000), nested(100_000), loop):
        (sentence,) = said({"type": "array", "items": {"$ref": "#"}}, value)
        assert sentence == "'[0][0][0]': nested more than 200 levels deep"
    assert said({"type": "array", "items": {"$ref": "#"}}, nested(150)) != []


def nested(depth):
    value = "x"
    for _ in range(depth):
        value = [value]
    return value


def test_huge_values_are_shown_short():
    (sentence,) = said({"type": "integer"}, "x" * 10_000_000)
    assert len(sentence) < 150
    (sentence,) = said({"type": "integer"}, {str(n): n for n in range(100_000)})
    assert len(sentence) < 150


def test_many_problems_are_counted_past_the_first_twenty():
    found = problems({"type": "array", "items": {"type": "integer"}}, ["x"] * 25)
    lines = sentences(found)
    assert len(lines) == 21
    assert lines[2] == "'[2]': given \"x\", expected an integer"
    assert lines[10].startswith("'[10]'")
    assert lines[-1] == "and 5 more problems"
    assert sentences(found[:3]) == [problem.sentence() for problem in found[:3]]


def test_nullable_of_openapi_means_null_is_allowed():
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "nullable": True},
            "b": {"type": "string", "nullable": True, "enum": ["x"]},
            "nullable": {"type": "boolean"},
        },
    }
    assert problems(schema, {"a": None, "b": None, "nullable": True}) == []
    assert len(problems(schema, {"a": 1, "b": "y", "nullable": None})) == 3


def test_a_checker_is_remembered_for_the_very_same_schema():
    one, other = {"type": "integer"}, {"type": "integer"}
    assert check.compile(one) is check.compile(one)
    assert check.compile(one) is not check.compile(other)
    assert problems(Checker(one), 1) == []


BROKEN = [
    ({"type": "strin"}, 'type: "strin" is not a type'),
    ({"properties": {"a": {"type": "list"}}}, 'properties.a.type: "list" is not a type'),
    ({"properties": {"a": 5}}, "properties.a: 5: "),
    ({"required": "a"}, 'required: "a": '),
    ({"$ref": "#/$defs/x"}, "/$defs/x"),
    ({"$ref": "https://example.org/x"}, "https://example.org/x"),
    ({"pattern": "("}, 'pattern: "(": '),
    ({"$schema": "foo"}, "foo"),
    ({"enum": [{1, 2}]}, "a Python set"),
    ([], "[]"),
    (5, "5"),
]


@pytest.mark.parametrize(("schema", "words"), BROKEN)
def test_a_broken_schema_is_named_to_its_author(schema, words):
    assert any(words in line for line in schema_problems(schema))
    with pytest.raises(ConfigError) as caught:
        Checker(schema)
    assert words in caught.value.message
    assert caught.value.hint


def test_every_fault_of_a_schema_is_found_once():
    schema = {"type": "strin", "properties": {"a": 5, "b": {"minimum": "x"}}, "required": "a"}
    found = schema_problems(schema)
    assert len(found) == len(set(found)) == 4


def test_a_sound_schema_has_no_faults_in_either_draft():
    assert schema_problems(SCHEMA) == []
    assert schema_problems({"$schema": "http://json-schema.org/draft-07/schema#", **SCHEMA}) == []
    assert schema_problems(True) == []


def test_a_required_property_that_may_not_be_given_is_a_fault():
    schema = {"items": {"required": ["a"], "additionalProperties": False}}
    assert schema_problems(schema) == ["items.required: 'a' is not among the properties"]


def test_words_for_places_values_and_schemas():
    assert place(("items", 2, "name")) == "items[2].name"
    assert place(()) == ""
    assert shown({"a": [1, None, True, "x"]}) == '{"a": [1, null, true, "x"]}'
    assert shown(nested(50)).startswith("[[[")
    assert len(shown("x" * 1000)) == 60
    assert expected({"enum": list(range(20))}).endswith("(20 in all)")
    assert expected({"enum": ["a"]}) == '"a"'
    assert expected({"type": "array", "items": {"enum": ["a", "b"]}}) == 'a list of one of "a", "b"'
    assert expected({"type": "array", "minItems": 1, "maxItems": 2}) == "a list with 1 to 2 items"
    assert expected({"type": "number", "exclusiveMaximum": 2}) == "a number below 2"
    assert expected(False) == "another value"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=3), v, max_size=3),
    max_leaves=10,
)


@settings(max_examples=300, deadline=None)
@given(json_values)
def test_any_json_value_gets_sentences_and_never_an_exception(value):
    for schema in (SCHEMA, {"anyOf": [SCHEMA, {"type": "array", "items": SCHEMA}]}):
        for problem in problems(schema, value):
            assert problem.sentence()
            assert "\n" not in problem.sentence()


@settings(max_examples=200, deadline=None)
@given(json_values)
def test_any_value_as_a_schema_is_either_sound_or_named(value):
    found = schema_problems(value)
    if found:
        assert all(found)
    else:
        assert isinstance(Checker(value).problems(5), list)
