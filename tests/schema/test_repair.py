"""Reading arguments: mend what has one meaning, refuse the rest with a way forward."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.base.errors import InvalidArguments
from hermes.schema.fitting.relaxed import Malformed, parse
from hermes.schema.repair import Repaired, read_arguments


def strictly(text):
    return read_arguments(text, complete_truncated=False)


def leniently(text):
    return read_arguments(text, complete_truncated=True)


MENDED = [
    ('{"a": 1,}', {"a": 1}, "removed a trailing comma"),
    ('{"a": [1, 2,],}', {"a": [1, 2]}, "removed a trailing comma"),
    ("{'a': 'b'}", {"a": "b"}, "changed the quotes"),
    ("{'a': 'it\\'s'}", {"a": "it's"}, "changed the quotes"),
    ("{'a': \"it's\"}", {"a": "it's"}, "changed the quotes"),
    ("{'a': True, 'b': False, 'c': None}", {"a": True, "b": False, "c": None}, "True, False, None"),
    ('{"a": True}', {"a": True}, "True, False, None → true, false, null"),
    ('```json\n{"a": 1}\n```', {"a": 1}, "removed a code fence"),
    ('```\n{"a": 1}```', {"a": 1}, "removed a code fence"),
    ("```json\n{'a': 1,}\n```", {"a": 1}, "removed a code fence"),
    ('```json\n{"a": "```x```"}\n```', {"a": "```x```"}, "removed a code fence"),
    ('```json\n{"a": 1}\n```\nDone.', {"a": 1}, "removed text around the object"),
    ('{"a": 1}{"a": 1}', {"a": 1}, "used once"),
    ('{"a": 1}\n{"a": 1} {"a": 1}', {"a": 1}, "used once"),
    ('"{\\"a\\": 1}"', {"a": 1}, "encoded twice"),
    ('"\\"{\\\\\\"a\\\\\\": 1}\\""', {"a": 1}, "encoded twice"),
    ('"{\'a\': 1}"', {"a": 1}, "encoded twice"),
    ('{\\"a\\": \\"b\\"}', {"a": "b"}, "removed surplus backslashes"),
    ("{a: 1, b_c: 2, $d: 3}", {"a": 1, "b_c": 2, "$d": 3}, "quoted the keys"),
    ("{1: 'a'}", {"1": "a"}, "quoted the keys"),
    ('{"a": "x\ny"}', {"a": "x\ny"}, "escaped control characters"),
    ('{"a": "x\ty\x01"}', {"a": "x\ty\x01"}, "escaped control characters"),
    ('{"a": 1 /* one */, // two\n "b": 2 # three\n}', {"a": 1, "b": 2}, "removed comments"),
    ('Sure! Here it is: {"a": 1} I hope it helps.', {"a": 1}, "removed text around the object"),
    ('Result: {"a": 1}', {"a": 1}, "removed text around the object"),
    ('<tool_call>{"a": 1}</tool_call>', {"a": 1}, "removed text around the object"),
    ('"a": 1, "b": [2]', {"a": 1, "b": [2]}, "added the missing braces"),
    ('"a": {"b": 1}}', {"a": {"b": 1}}, "added the missing braces"),
    ("a: 1, b: 'x'", {"a": 1, "b": "x"}, "added the missing braces"),
    ('\ufeff{"a": 1}', {"a": 1}, "removed a byte order mark"),
    ('\ufeff{"a": 1,}', {"a": 1}, "removed a byte order mark"),
    ("{\u201ca\u201d: \u201cb\u201d}", {"a": "b"}, "changed the quotes"),
    ("{\u2018a\u2019: \u2018b\u2019}", {"a": "b"}, "changed the quotes"),
    ('{"a": 1\n "b": 2}', {"a": 1, "b": 2}, "added a missing comma"),
    ('{"a": [{"b": 1} {"b": 2}]}', {"a": [{"b": 1}, {"b": 2}]}, "added a missing comma"),
    ('{"a": 1}}', {"a": 1}, "removed surplus closing brackets"),
    ('{"a": "\\d+\\."}', {"a": "\\d+\\."}, "kept a backslash that escapes nothing"),
    ('{"a": (1, 2)}', {"a": [1, 2]}, "tuple → list"),
    ('{"a": +1, "b": .5, "c": 2.}', {"a": 1, "b": 0.5, "c": 2.0}, "rewrote a number"),
    ('{"a": "\\ud83d\\ude00 \\u00e9 \\x41",}', {"a": "\U0001f600 é A"}, "removed a trailing comma"),
    ('{"n": 9007199254740993, "f": 1e3,}', {"n": 9007199254740993, "f": 1000.0}, "trailing comma"),
    ('{"a": 1, "a": 1,}', {"a": 1}, "removed a trailing comma"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "change"), MENDED)
@pytest.mark.proves("fit-malformed")
def test_a_slip_with_one_meaning_is_mended_and_told(text, value, change):
    repaired = strictly(text)
    assert repaired.value == value
    assert any(change in line for line in repaired.changes)
    assert not repaired.truncated
    assert leniently(text) == repaired


REFUSED = [
    ('{"a": 1}{"a": 2}', "a second, different object"),
    ('{"a": 1}{"b": 2}', "a second, different object"),
    ('{"a": 1} and {"a": 1}', "text after the object"),
    ('{"a": 1}, "b": 2}', "text after the object"),
    ('{"a": 1, "a": 2,}', "two different values"),
    ('{"a": [1, 2}', "expected ',' or ']'"),
    ('{"a": hello}', "'hello' is not a JSON value"),
    ('{"a": NaN}', "'NaN' is not a JSON value"),
    ('{"a": -Infinity}', "unexpected '-'"),
    ('{"a": 1e999}', "a number too large for JSON"),
    ('{"a": 007}', "unexpected '0'"),
    ('{"a": 1_000}', "unexpected '1'"),
    ('{"a": undefined}', "'undefined' is not a JSON value"),
    ('{"a": ' + "1" * 5000 + "}", "a number of 5,000 digits"),
    ('{"a": 1,, "b": 2}', "two commas in a row"),
    ('{"a":,}', "unexpected ','"),
    ("{,}", "expected a key"),
    ('{"a" 1}', "expected ':'"),
    ('{"a": "x", "b"}', "expected ':'"),
    ("{'it's': 1}", "expected ':'"),
    ('{"a": "C:\\new\\dir"}', "backslashes"),
    ('{"a": "\\ud83d"}', "half of a surrogate pair"),
    ('{"a": "\\uZZZZ"}', "a broken escape"),
    ('["a" "b"]', "expected ',' or ']'"),
    ("hello", "not a JSON object"),
    ("path: x, opts: {}", "is not a JSON value"),
    ('with path "x" and {"a": 1}', "not a JSON object"),
    ("run it with path=x, opts={}", "not a JSON object"),
    ("'hello' there", "text after the value"),
    ("[" * 150 + "]" * 150 + ",", "nested more than 100 deep"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
@pytest.mark.parametrize("read", [strictly, leniently])
def test_a_text_without_one_meaning_is_refused_with_place_and_excerpt(read, text, reason):
    with pytest.raises(InvalidArguments) as caught:
        read(text)
    assert caught.value.code == "malformed_arguments"
    assert reason in caught.value.message
    assert text[:5].strip() or caught.value.hint
    assert "Send one JSON object" in caught.value.hint
    assert len(caught.value.hint) < 400


CUT = [
    ('{"path": "x", "content": "hel', {"path": "x", "content": "hel"}),
    ('{"path": "x"', {"path": "x"}),
    ('{"path": "x",', {"path": "x"}),
    ('{"a": {"b": [1, 2', {"a": {"b": [1, 2]}}),
    ('{"a": [1,', {"a": [1]}),
    ('{"a": [', {"a": []}),
    ('{"a": 1, "b', {"a": 1}),
    ('{"a": 1, "b":', {"a": 1}),
    ('{"a": 1, "b"', {"a": 1}),
    ('{"a": 1, "b": tr', {"a": 1}),
    ('{"a": 1, "b": No', {"a": 1}),
    ('{"a": 1, "b": -', {"a": 1}),
    ('{"a": 1, "b": 1e', {"a": 1}),
    ('{"a": "x\\ud83d', {"a": "x"}),
    ('{"a": "x\\ud83d\\ude', {"a": "x"}),
    ('{"a": "x\\', {"a": "x"}),
    ('{"a": "x\\u00', {"a": "x"}),
    ('{"a": 1 /* and', {"a": 1}),
    ("{", {}),
    ('```json\n{"a": 1', {"a": 1}),
    ('"a": "x', {"a": "x"}),
    ('Here: it is {"a": "x'[9:], {"a": "x"}),
]


@pytest.mark.parametrize(("text", "value"), CUT)
@pytest.mark.proves("fit-malformed")
def test_a_text_cut_off_is_closed_only_for_tools_without_effects(text, value):
    with pytest.raises(InvalidArguments) as caught:
        strictly(text)
    assert "cut off" in caught.value.message
    assert "Send the call again with complete arguments" in caught.value.hint
    assert caught.value.code == "malformed_arguments"
    closed = leniently(text)
    assert closed.value == value
    assert closed.truncated
    assert "closed arguments that were cut off" in closed.changes


def test_what_a_cut_leaves_out_is_named():
    assert "left out 'b', which was cut off" in leniently('{"a": 1, "b": tr').changes


def test_a_doubled_object_cut_off_in_its_second_half_is_refused():
    for read in (strictly, leniently):
        with pytest.raises(InvalidArguments):
            read('{"a": 1}{"a": ')


GUESSED = [
    ('{"a": "x "q" y", "b": 1}', {"a": 'x "q" y', "b": 1}),
    ('{"code": "print("a", "b")"}', {"code": 'print("a", "b")'}),
]


@pytest.mark.parametrize(("text", "value"), GUESSED)
def test_quotes_left_unescaped_are_guessed_only_for_tools_without_effects(text, value):
    with pytest.raises(InvalidArguments):
        strictly(text)
    assert leniently(text).value == value
    assert leniently(text).changes == ["escaped quotes inside a string"]


@pytest.mark.parametrize(
    "text",
    ['{"a": "x"y}', '{"a": "x "q" é\\u00e9"}', '"a" b {', '["x "y" z"]'],
)
def test_a_guess_that_would_lose_or_invent_anything_is_refused(text):
    with pytest.raises(InvalidArguments):
        leniently(text)


@pytest.mark.parametrize("text", ["", "  \n", "null", " null ", '""', "\ufeff", "```\n```"])
def test_no_arguments_are_an_empty_object(text):
    assert strictly(text).value == {}


@pytest.mark.parametrize("value", [1, True, 1.5, [1], "hello", ["{}"]])
def test_json_that_is_no_object_is_passed_on_for_the_schema_to_judge(value):
    assert strictly(json.dumps(value)) == Repaired(value, [])


def test_large_texts_are_read():
    long = "x" * 10_000_000
    assert strictly(json.dumps({"a": long})).value == {"a": long}
    assert strictly("{'a': '" + long + "',}").value == {"a": long}
    with pytest.raises(InvalidArguments):
        strictly('{"a": "' + long)
    with pytest.raises(InvalidArguments):
        strictly("{" * 100_000)
    with pytest.raises(InvalidArguments) as caught:
        strictly('{"a":' * 100_000)
    assert len(caught.value.hint) < 400


def test_almost_json_can_be_read_by_itself():
    assert parse(" {'a': (1, True)} ") == {"a": [1, True]}
    for text in ("", "1 2", "[1", "tru"):
        with pytest.raises(Malformed):
            parse(text)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda v: st.lists(v, max_size=4) | st.dictionaries(st.text(), v, max_size=4),
    max_leaves=15,
)
objects = st.dictionaries(st.text(max_size=8), plain, max_size=5)


@settings(max_examples=300, deadline=None)
@given(objects | st.lists(plain), st.booleans(), st.booleans())
def test_json_text_is_returned_as_it_is(value, ascii_only, lenient):
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read_arguments(text, complete_truncated=lenient) == Repaired(value, [])


@settings(max_examples=300, deadline=None)
@given(objects)
def test_python_text_and_twice_encoded_text_read_as_the_same_object(value):
    assert strictly(json.dumps(json.dumps(value))).value == value
    assert strictly(json.dumps(value) * 2 if value else "{}{}").value == value


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), plain, min_size=1, max_size=4))
def test_the_python_repr_of_any_object_is_read(value):
    assert strictly(repr(value)).value == value


MARKS = r"""{ } [ ] ( ) : , " ' \ ` ``` /* */ // # a 1 - . e true None null \u \n é"""
tokens = st.lists(st.sampled_from([*MARKS.split(), "\n", " ", "\ufeff", "\u201c"]), max_size=25)


@settings(max_examples=1000, deadline=None)
@given(tokens.map("".join) | st.text(), st.booleans())
def test_any_text_is_read_or_refused_with_the_documented_error(text, lenient):
    try:
        repaired = read_arguments(text, complete_truncated=lenient)
    except InvalidArguments as error:
        assert error.code == "malformed_arguments"
        assert error.hint
    else:
        json.dumps(repaired.value, allow_nan=False)
        assert lenient or not repaired.truncated


@settings(max_examples=400, deadline=None)
@given(objects.filter(bool), st.data())
def test_a_cut_text_is_never_completed_for_a_tool_with_effects(value, data):
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    with pytest.raises(InvalidArguments):
        strictly(cut)
    assert leniently(cut).truncated
