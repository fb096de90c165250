"""Coercion: what bends, what must not, and that it is exact, idempotent and bounded."""

import copy
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.schema.check import Checker
from hermes.schema.coerce import Coerced, coerce
from hermes.schema.fitting.keys import near_misses, renames

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
BOOLEAN = {"type": "boolean"}
STRING = {"type": "string"}
NULL = {"type": "null"}


CLOSED = {"additionalProperties": False}


def array(items):
    return {"type": "array", "items": items}


def closed(required=(), **properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def any_of(*branches):
    return {"anyOf": list(branches)}


def typed(value):
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return type(value), value


BENT = [
    (INTEGER, "42", 42),
    (INTEGER, " -7 ", -7),
    (INTEGER, "+7", 7),
    (INTEGER, "4.0", 4),
    (INTEGER, "1e3", 1000),
    (INTEGER, "1.5e3", 1500),
    (INTEGER, 5.0, 5),
    (INTEGER, "007", 7),
    (INTEGER, '"42"', 42),
    (INTEGER, "9007199254740993", 9007199254740993),
    (INTEGER, "9007199254740993.0", 9007199254740993),
    (INTEGER, "-123456789012345678901234567890", -123456789012345678901234567890),
    (NUMBER, "3.7", 3.7),
    (NUMBER, "42", 42),
    (NUMBER, "2.0", 2.0),
    (NUMBER, "9007199254740993.0", 9007199254740993),
    (NUMBER, "1e3", 1000.0),
    *((BOOLEAN, yes, True) for yes in ("true", "True", "TRUE", "yes", "on", "1", 1, 1.0, " Yes ")),
    *((BOOLEAN, no, False) for no in ("false", "False", "no", "off", "0", 0)),
    (STRING, 42, "42"),
    (STRING, 1.5, "1.5"),
    (STRING, 5.0, "5.0"),
    (STRING, True, "true"),
    (STRING, 2**70, str(2**70)),
    (NULL, "null", None),
    (NULL, "None", None),
    (NULL, "", None),
    (array(INTEGER), ["1", "2"], [1, 2]),
    (array(INTEGER), "[1, '2',]", [1, 2]),
    (array(INTEGER), "1,2", [1, 2]),
    (array(INTEGER), 3, [3]),
    (array(INTEGER), "3", [3]),
    (array(STRING), "['a', 'b']", ["a", "b"]),
    (array(STRING), "('a', 'b')", ["a", "b"]),
    (array(STRING), '["a", "b"]', ["a", "b"]),
    (array(STRING), '"[\\"a\\"]"', ["a"]),
    (array(STRING), "[a, b]", ["a", "b"]),
    (array(STRING), "a,b", ["a", "b"]),
    (array(STRING), "src/a.py, src/b.py", ["src/a.py", "src/b.py"]),
    (array(STRING), "one thing only", ["one thing only"]),
    (array(STRING), "https://x.org/?q=a,b", ["https://x.org/?q=a,b"]),
    (array(STRING), "--fields=a,b", ["--fields=a,b"]),
    (array(STRING), "[WIP] fix it", ["[WIP] fix it"]),
    (array(STRING), "[]", []),
    (array({"enum": ["cpu", "disk"]}), "CPU,Disk", ["cpu", "disk"]),
    (array({"type": "object"}), {"a": 1}, [{"a": 1}]),
    (array({"type": "object"}), ['{"a": 1}'], [{"a": 1}]),
    (array({"type": "object"}), '{"a": 1}', [{"a": 1}]),
    (array(array(INTEGER)), [["1"], "[2]"], [[1], [2]]),
    ({"type": "array", "prefixItems": [INTEGER, STRING]}, ["1", 2], [1, "2"]),
    ({"type": "array", "items": [INTEGER], "additionalItems": STRING}, ["1", 2], [1, "2"]),
    ({"type": "object"}, '{"a": 1}', {"a": 1}),
    ({"type": "object"}, "{'a': True, 'b': None}", {"a": True, "b": None}),
    (closed(n=INTEGER), '"{\\"n\\": \\"3\\"}"', {"n": 3}),
    (closed(n=INTEGER), {"n": "3"}, {"n": 3}),
    (closed(o=closed(n=INTEGER)), {"o": {"n": "3"}}, {"o": {"n": 3}}),
    (closed(o=closed(n=INTEGER)), {"o": '{"n": "3"}'}, {"o": {"n": 3}}),
    ({"type": "object", "additionalProperties": INTEGER}, {"a": "1"}, {"a": 1}),
    ({"type": "object", "patternProperties": {"^n_": INTEGER}}, {"n_a": "1"}, {"n_a": 1}),
    (any_of(INTEGER, NULL), "3", 3),
    (any_of(INTEGER, NULL), 3.0, 3),
    (any_of(INTEGER, NULL), "null", None),
    (any_of(INTEGER, NULL), "", None),
    ({"type": ["integer", "null"]}, "3", 3),
    ({"type": ["integer", "null"]}, "None", None),
    ({"type": "integer", "nullable": True}, "null", None),
    (any_of(array(STRING), NULL), "null", None),
    (any_of(array(STRING), NULL), "a", ["a"]),
    (any_of(array(STRING), STRING), 5, "5"),
    (any_of(INTEGER, NUMBER), "3.7", 3.7),
    ({"oneOf": [closed(["k"], k={"const": "a"}), closed(["k"], k={"const": "b"}, n=INTEGER)]},
     {"k": "B", "n": "2"}, {"k": "b", "n": 2}),
    ({"allOf": [{"properties": {"a": INTEGER}}, {"properties": {"b": BOOLEAN}}]},
     {"a": "1", "b": "no"}, {"a": 1, "b": False}),
    ({"$ref": "#/$defs/n", "$defs": {"n": INTEGER}}, "3", 3),
    ({"$ref": "#/definitions/a~1b", "definitions": {"a/b": INTEGER}}, "3", 3),
    ({"type": "object", "properties": {"child": {"$ref": "#"}, "n": INTEGER}},
     {"child": {"child": {"n": "1"}}}, {"child": {"child": {"n": 1}}}),
    ({"enum": ["GET", "POST"]}, "get", "GET"),
    ({"enum": ["in_progress", "done"]}, "In Progress", "in_progress"),
    ({"enum": ["in_progress", "done"]}, "in-progress ", "in_progress"),
    ({"enum": ["GET"]}, '"GET"', "GET"),
    ({"type": "integer", "enum": [1, 2]}, "2", 2),
    ({"type": "integer", "enum": [1, 2]}, 2.0, 2),
    ({"enum": ["1", "2"]}, 2, "2"),
    ({"enum": ["a", None]}, "null", None),
    ({"const": "v1"}, "V1", "v1"),
    ({"type": "object"}, None, {}),
    ({"type": "object"}, "", {}),
    (closed(f={"type": "array", "items": STRING}), {"f": "null"}, {}),
    (closed(n={"type": "integer", "default": 3}), {"n": ""}, {}),
    (closed(n={"type": "integer", "default": 3}), {"n": None}, {}),
    (closed(["n"], n={"type": "integer", "default": 3}), {"n": None}, {"n": 3}),
    (closed(m={"enum": ["a", "b"]}), {"m": ""}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "right"), BENT)
def test_a_value_is_bent_to_the_schema(schema, value, right):
    before = copy.deepcopy(value)
    coerced = coerce(schema, value)
    assert typed(coerced.value) == typed(right)
    assert coerced.changes
    assert typed(value) == typed(before)


KEPT = [
    (STRING, "007"),
    (STRING, ""),
    (STRING, "null"),
    (STRING, '{"a": 1}'),
    (STRING, None),
    (STRING, {"a": 1}),
    (STRING, ["ls", "-l"]),
    (STRING, math.inf),
    ({"type": ["string", "integer"]}, "007"),
    ({"type": ["integer", "string"]}, "42"),
    (any_of(INTEGER, STRING), "007"),
    (any_of(STRING, NULL), ""),
    (any_of(STRING, NULL), "null"),
    (any_of(NUMBER, INTEGER), 5.0),
    (any_of({"enum": ["GET"]}, STRING), "get"),
    (INTEGER, "3.7"),
    (INTEGER, 3.7),
    (INTEGER, True),
    (INTEGER, "soon"),
    (INTEGER, "1_000"),
    (INTEGER, "1,000"),
    (INTEGER, "٣"),
    (INTEGER, ""),
    (INTEGER, "nan"),
    (INTEGER, math.nan),
    (INTEGER, [1]),
    (NUMBER, "inf"),
    (NUMBER, "NaN"),
    (NUMBER, "1.5e999"),
    (BOOLEAN, "maybe"),
    (BOOLEAN, 2),
    (BOOLEAN, ""),
    (array(STRING), "null"),
    (array(STRING), ""),
    (array(STRING), '["a", "b'),
    (array(INTEGER), "abc"),
    (array(INTEGER), None),
    ({"type": "object"}, "{oops"),
    ({"type": "object"}, [1]),
    ({"enum": ["A_B", "a-b"]}, "ab"),
    ({"enum": ["a"]}, "b"),
    ({"enum": [1]}, True),
    (closed(s=STRING), {"s": ""}),
    (closed(["s"], s=INTEGER), {"s": None}),
    (closed(s={"type": "string", "minLength": 1}), {"s": ""}),
    ({"properties": {"path": STRING}}, {"file_path": "x"}),
    ({"$ref": "#/$defs/nowhere"}, "3"),
    ({"$ref": "https://elsewhere.org/schema"}, "3"),
    ({"$ref": "#"}, "3"),
    (True, "3"),
    (False, "3"),
    ({}, "3"),
    (None, "3"),
    ({"type": "strange"}, "3"),
    ({"type": 5, "properties": 3, "items": "x", "anyOf": 7, "required": 1, "enum": 2}, {"a": [1]}),
]


@pytest.mark.parametrize(("schema", "value"), KEPT)
def test_a_value_without_one_exact_meaning_is_kept_itself(schema, value):
    coerced = coerce(schema, value)
    assert coerced.value is value
    assert coerced.changes == []


RENAMED = [
    (closed(path=STRING), {"file_path": "x"}, {"path": "x"}),
    (closed(path=STRING), {"filename": "x"}, {"path": "x"}),
    (closed(file_path=STRING), {"path": "x"}, {"file_path": "x"}),
    (closed(command=STRING), {"cmd": "ls"}, {"command": "ls"}),
    (closed(url=STRING), {"uri": "x"}, {"url": "x"}),
    (closed(query=STRING), {"q": "x"}, {"query": "x"}),
    (closed(max_results=INTEGER), {"limit": "5"}, {"max_results": 5}),
    (closed(file_path=STRING), {"filePath": "x"}, {"file_path": "x"}),
    (closed(filePath=STRING), {"file-path": "x"}, {"filePath": "x"}),
    (closed(path=STRING), {"PATH": "x"}, {"path": "x"}),
    (closed(tags=array(STRING)), {"tag": "a"}, {"tags": ["a"]}),
    (closed(message=STRING), {"mesage": "a"}, {"message": "a"}),
    (closed(message=STRING), {"messgae": "a"}, {"message": "a"}),
    (closed(path=STRING), {"path": None, "file_path": "x"}, {"path": "x"}),
    ({"type": "object", "properties": {"path": STRING}, "required": ["path"]},
     {"file_path": "x"}, {"path": "x"}),
    (closed(o=closed(path=STRING)), {"o": {"file_path": "x"}}, {"o": {"path": "x"}}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "right"), RENAMED)
def test_a_key_that_can_mean_only_one_argument_is_renamed(schema, value, right):
    assert coerce(schema, value).value == right


NOT_RENAMED = [
    (closed(path=STRING, file_path=STRING), {"filename": "x"}),
    (closed(path=STRING), {"path": "x", "file_path": "y"}),
    (closed(path=STRING), {"file_path": "x", "filename": "y"}),
    (closed(mode={"enum": ["a", "b"]}), {"model": "opus"}),
    (closed(host=STRING), {"post": "x"}),
    (closed(data=STRING, date=STRING), {"dat": "x"}),
    ({"allOf": [{"properties": {"path": STRING}, "required": ["path"]},
                {"properties": {"file_path": STRING}}]}, {"file_path": "x"}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value"), NOT_RENAMED)
def test_a_key_with_two_meanings_or_none_is_left(schema, value):
    assert coerce(schema, value).value is value


def test_a_pattern_that_cannot_be_judged_here_never_makes_a_key_unknown():
    for pattern, key in ((r"^\p{L}+$", "key"), ("^a", "x" * 300)):
        schema = {"type": "object", "patternProperties": {pattern: INTEGER}, **CLOSED}
        coerced = coerce(schema, {key: "1"}, drop_unknown=True)
        assert coerced.value == {key: 1}
        assert coerced.unknown == []


def test_an_empty_text_stays_where_any_branch_allows_text():
    short = {"type": "string", "minLength": 1}
    schema = closed(a={"$ref": "#/$defs/s"}, b=any_of(short, INTEGER), c=any_of(INTEGER, BOOLEAN))
    value = {"a": "", "b": "", "c": ""}
    assert coerce(schema | {"$defs": {"s": short}}, value).value == {"a": "", "b": ""}


def test_the_pairs_of_renames_are_unambiguous():
    assert renames(["Path", "PATH"], ["path"], ["path"]) == {}
    assert renames(["q"], ["query"], ["query", "other"]) == {"q": "query"}
    assert near_misses(["pth"], ["path"]) == {"pth": "path"}
    assert near_misses(["ab"], ["abc"]) == {}


def test_changes_name_the_place_the_old_and_the_new_value():
    schema = closed(
        days=INTEGER, path=STRING, opts={"type": "object"}, items=array(closed(n=INTEGER))
    )
    value = {
        "days": "3",
        "file_path": "x",
        "opts": None,
        "verbose": 1,
        "items": [{"n": 1}, {"n": "2"}],
    }
    coerced = coerce(schema, value, drop_unknown=True)
    assert coerced == Coerced(
        {"days": 3, "path": "x", "items": [{"n": 1}, {"n": 2}]},
        [
            "opts: dropped null",
            "file_path → path",
            'days: "3" → 3',
            "ignored unknown argument 'verbose'",
            'items[1].n: "2" → 2',
        ],
        ["verbose"],
    )


def test_long_values_and_many_changes_are_cut_in_the_record():
    (change,) = coerce(array(STRING), "x y " * 1000).changes
    assert len(change) < 150
    changes = coerce(array(INTEGER), ["1"] * 500).changes
    assert len(changes) == 51
    assert changes[-1] == "… and 450 more changes"


def test_pieces_that_fit_keep_their_identity():
    inner = {"deep": [1, 2]}
    coerced = coerce(closed(a={"type": "object"}, n=INTEGER), {"a": inner, "n": "1"})
    assert coerced.value["a"] is inner


def test_unknown_keys_choose_the_branch_that_loses_least():
    schema = any_of(closed(a=INTEGER), closed(b=INTEGER, c=INTEGER))
    assert coerce(schema, {"b": 1, "x": 2}, drop_unknown=True).value == {"b": 1}
    assert coerce(schema, {"b": 1, "x": 2}).value == {"b": 1, "x": 2}


def test_what_can_be_bent_in_an_optional_object_is_bent_although_the_rest_is_wrong():
    schema = any_of(closed(n=INTEGER, flag=BOOLEAN), NULL)
    assert coerce(schema, {"n": "3", "flag": "maybe"}).value == {"n": 3, "flag": "maybe"}


def test_references_are_resolved_in_the_given_root():
    root = {"$defs": {"n": INTEGER}}
    assert coerce({"$ref": "#/$defs/n"}, "3", root=root).value == 3


def nested(depth, leaf):
    for _ in range(depth):
        leaf = [leaf]
    return leaf


def test_depth_and_size_are_bounded():
    tree = {"anyOf": [{"type": "array", "items": {"$ref": "#"}}, INTEGER]}
    for schema in (tree, {"type": "array", "items": {"$ref": "#"}}, {"type": "array"}, INTEGER):
        deep = nested(1000, "x")
        assert coerce(schema, deep).value is deep
    twins = {"anyOf": [{"type": "array", "items": {"$ref": "#"}, "minItems": n} for n in (0, 1)]}
    wide = nested(50, "x")
    assert coerce(twins, wide).value == wide
    huge = "x" * 10_000_000
    for schema in (INTEGER, BOOLEAN, {"type": "object"}, {"enum": ["a"]}, STRING):
        assert coerce(schema, huge).value is huge
    assert coerce(array(STRING), huge).value == [huge]
    many = list(range(1_000_000))
    assert coerce(array(INTEGER), many).value is many
    loop = []
    loop.append(loop)
    assert coerce({"type": "array", "items": {"$ref": "#"}}, loop).value is loop


def test_contradicting_schemas_leave_the_value():
    schema = {"allOf": [STRING, INTEGER], "anyOf": [STRING, BOOLEAN]}
    once = coerce(schema, 5).value
    assert coerce(schema, once).value == once


words = st.sampled_from(
    ["", "null", "None", "42", "4.0", "007", "true", "a", "A", "a,b", "[1]", "3.7", '{"a": "1"}']
)
keys = st.sampled_from(["a", "b", "path", "file_path", "Path", "tags", "tag", "n"])
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.0, 1.0, 5.0])
    | words
    | st.text(max_size=5)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=8,
)
TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"]


def with_notes(schemas):
    return st.builds(lambda s, d: {**s, **d}, schemas, st.just({}) | st.just({"description": "d"}))


leaves = with_notes(
    st.sampled_from([{"type": name} for name in TYPES])
    | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True).map(
        lambda t: {"type": t}
    )
    | st.lists(scalars, min_size=1, max_size=3, unique_by=repr).map(lambda e: {"enum": e})
    | scalars.map(lambda c: {"const": c})
    | st.just({"type": "integer", "minimum": 0, "maximum": 3})
    | st.just({"type": "string", "minLength": 1, "maxLength": 3})
    | st.just({"type": "string", "pattern": "^a"})
    | st.just({"type": "integer", "default": 3})
    | st.just({})
    | st.just({"$ref": "#"})
    | st.just({"$ref": "#/$defs/shared"})
)


def objects(inner):
    return st.builds(
        lambda properties, extra, required: {
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name in required],
            **extra,
        },
        st.dictionaries(keys, inner, max_size=3),
        st.just({})
        | st.just({"additionalProperties": False})
        | inner.map(lambda s: {"additionalProperties": s})
        | inner.map(lambda s: {"patternProperties": {"^[ab]": s}, "additionalProperties": False}),
        st.sets(keys, max_size=2),
    )


def composed(inner):
    branches = st.lists(inner, min_size=1, max_size=3)
    return (
        objects(inner)
        | inner.map(lambda s: {"type": "array", "items": s})
        | branches.map(lambda b: {"type": "array", "prefixItems": b})
        | branches.map(lambda b: {"anyOf": b})
        | branches.map(lambda b: {"oneOf": b})
        | branches.map(lambda b: {"allOf": b})
        | inner.map(lambda s: {"not": s})
        | st.tuples(objects(inner), branches).map(lambda p: {**p[0], "anyOf": p[1]})
    )


schemas = st.recursive(leaves, composed, max_leaves=6).map(
    lambda s: {**s, "$defs": {"shared": {"type": ["integer", "null"]}}}
)


@settings(max_examples=500, deadline=None)
@given(schemas, values, st.booleans())
@pytest.mark.proves("fit-idempotent")
def test_coercion_never_raises_never_mutates_and_is_idempotent(schema, value, drop):
    before = json.dumps(value)
    once = coerce(schema, value, drop_unknown=drop)
    assert json.dumps(value) == before
    again = coerce(schema, once.value, drop_unknown=drop)
    assert typed(again.value) == typed(once.value)
    assert again.changes == []


@settings(max_examples=500, deadline=None)
@given(schemas, values, st.booleans())
@pytest.mark.proves("fit-idempotent")
def test_a_value_that_fits_is_never_changed(schema, value, drop):
    checker = Checker(schema)
    coerced = coerce(schema, value, drop_unknown=drop)
    if not checker.problems(value):
        assert coerced.value == value
        assert coerced.unknown == []
    assert isinstance(checker.problems(coerced.value), list)


@settings(max_examples=300, deadline=None)
@given(st.integers())
@pytest.mark.proves("fit-exact")
def test_any_integer_survives_the_way_through_text(number):
    assert coerce(INTEGER, str(number)).value == number
    assert coerce(NUMBER, str(number)).value == number
    assert coerce(STRING, number).value == str(number)


@settings(max_examples=300, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_float_survives_the_way_through_text(number):
    bent = coerce(NUMBER, repr(number)).value
    assert bent == number
    assert coerce(STRING, number).value == repr(number)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=30))
def test_no_text_ever_becomes_a_number_that_is_not_finite(text):
    bent = coerce(NUMBER, text).value
    assert isinstance(bent, str) or math.isfinite(bent)


def test_a_whole_float_stays_a_number_where_text_is_allowed_too():
    assert coerce({"type": ["string", "integer"]}, 5.0).value == 5
    assert coerce({"type": ["string", "integer"]}, 5.5).value == "5.5"
