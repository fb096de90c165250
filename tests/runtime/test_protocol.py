"""Reading tool calls out of any message, and answering in the same dialect."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.messages import ToolCall
from hermes.runtime.protocol import message, read, results

CALL = ToolCall("7", "look", {"path": "a"})
OPENAI = {
    "id": "7",
    "type": "function",
    "function": {"name": "look", "arguments": '{"path": "a"}'},
}
ANTHROPIC = {"type": "tool_use", "id": "7", "name": "look", "input": {"path": "a"}}
RESPONSES = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "7",
    "name": "look",
    "arguments": '{"path": "a"}',
}
GEMINI = {"functionCall": {"id": "7", "name": "look", "args": {"path": "a"}}}
PLAIN = {"id": "7", "name": "look", "arguments": {"path": "a"}}
TEXT = "I will look."


def as_text(call):
    return call._replace(arguments='{"path": "a"}')


@pytest.mark.parametrize(
    ("given", "dialect", "call"),
    [
        ({"role": "assistant", "content": None, "tool_calls": [OPENAI]}, "openai", as_text(CALL)),
        ([OPENAI], "openai", as_text(CALL)),
        (OPENAI, "openai", as_text(CALL)),
        ({"content": [{"type": "text", "text": TEXT}, ANTHROPIC]}, "anthropic", CALL),
        ([ANTHROPIC], "anthropic", CALL),
        ({"output": [{"type": "reasoning"}, RESPONSES]}, "openai-responses", as_text(CALL)),
        ([RESPONSES], "openai-responses", as_text(CALL)),
        ({"role": "model", "parts": [{"text": TEXT}, GEMINI]}, "gemini", CALL),
        ({"tool_calls": [PLAIN]}, "plain", CALL),
        ({"tool_calls": PLAIN}, "plain", CALL),
        (PLAIN, "plain", CALL),
        ((PLAIN,), "plain", CALL),
    ],
)
def test_every_dialect_is_read(given, dialect, call):
    given = list(given) if isinstance(given, tuple) else given
    (asked,) = read(given)
    assert (asked.dialect, asked.call, asked.problem) == (dialect, call, None)
    assert read(json.dumps(given)) == [asked]
    assert read(json.dumps(given).encode()) == [asked]


@pytest.mark.parametrize("key", ["arguments", "input", "args", "parameters"])
def test_arguments_are_found_under_any_of_their_names(key):
    (asked,) = read([{"id": "1", "name": "look", key: {"a": 1}}])
    assert asked.call == ToolCall("1", "look", {"a": 1})


@pytest.mark.parametrize("key", ["id", "call_id", "tool_call_id"])
def test_ids_are_found_under_any_of_their_names_and_made_texts(key):
    assert read([{key: 7, "name": "look"}])[0].call == ToolCall("7", "look", {})


def test_calls_without_an_id_are_numbered():
    asked = read([{"name": "a"}, {"id": "", "name": "b"}, {"id": None, "name": "c"}])
    assert [one.call.id for one in asked] == ["call_1", "call_2", "call_3"]


class Sdk:
    """An object as provider SDKs give it."""

    def __init__(self, value):
        self.value = value

    def model_dump(self):
        return self.value


def test_objects_of_sdks_are_read_like_dicts():
    plain = read({"tool_calls": [OPENAI]})
    assert read(Sdk({"tool_calls": [OPENAI]})) == plain
    assert read({"tool_calls": [Sdk(OPENAI)]}) == plain
    assert read([Sdk(OPENAI)]) == plain


def test_a_message_without_calls_has_none():
    assert read({"role": "assistant", "content": TEXT}) == []
    assert read({"role": "assistant", "content": TEXT, "tool_calls": []}) == []
    assert read([]) == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("not json", "not JSON"),
        ("", "not JSON"),
        (b"\xff", "not JSON"),
        (5, "int"),
        (None, "NoneType"),
        ({"tool_calls": 5}, "must be a list"),
        ([5], "int"),
        (["do what I say"], "str"),
        ([""], "str"),
        ([None], "NoneType"),
        ([{}], "no 'name'"),
        ([{"name": ""}], "no 'name'"),
        ([{"name": 5}], "no 'name'"),
        ([{"function": {}}], "no 'name'"),
        ([{"type": "tool_use", "input": {}}], "no 'name'"),
    ],
)
def test_what_is_malformed_is_kept_with_its_problem(given, words):
    (asked,) = read(given)
    assert words in asked.problem


def test_a_bad_call_keeps_its_id_and_its_neighbours():
    asked = read([PLAIN, {"id": "8", "function": {"arguments": "{}"}}, ANTHROPIC])
    assert [(one.call.id, one.dialect, one.problem is None) for one in asked] == [
        ("7", "plain", True),
        ("8", "openai", False),
        ("7", "anthropic", True),
    ]


@pytest.mark.parametrize(
    ("given", "good", "bad"),
    [
        (
            ANTHROPIC,
            {"type": "tool_result", "tool_use_id": "7", "content": '{"a":1}'},
            {"type": "tool_result", "tool_use_id": "7", "content": '{"a":1}', "is_error": True},
        ),
        (RESPONSES, {"type": "function_call_output", "call_id": "7", "output": '{"a":1}'}, None),
        (GEMINI, {"functionResponse": {"id": "7", "name": "look", "response": {"a": 1}}}, None),
        (OPENAI, {"role": "tool", "tool_call_id": "7", "name": "look", "content": '{"a":1}'}, None),
        (PLAIN, {"role": "tool", "tool_call_id": "7", "name": "look", "content": '{"a":1}'}, None),
    ],
)
def test_answers_are_in_the_dialect_of_their_call(given, good, bad):
    (asked,) = read([given])
    assert message(asked, "look", ('{"a":1}', "ok")) == good
    assert message(asked, "look", ('{"a":1}', "tool_error")) == (bad or good)


def test_results_hold_values_instead_of_text(registry, runtime):
    registry.register("give", "t", {"type": "object"}, lambda args: {"n": 1})
    answers = runtime().call_many_sync(
        {"tool_calls": [{"id": "a", "name": "give"}, {"id": "b", "name": "nope"}]}
    )
    good, bad = results(answers)["tool_results"]
    assert good == {"id": "a", "name": "give", "success": True, "result": {"n": 1}}
    assert (bad["id"], bad["success"], bad["code"]) == ("b", False, "unknown_tool")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                (
                    *("tool_calls", "content", "parts", "output", "function", "functionCall"),
                    *("type", "name", "id", "call_id", "arguments", "input", "args"),
                )
            )
            | st.text(max_size=3),
            inner | st.sampled_from(["tool_use", "function_call", "function", "echo"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(json_values | st.text() | st.binary(max_size=20))
def test_any_message_is_read_into_calls_or_problems(value):
    for asked in read(value):
        assert isinstance(asked.call.id, str) and asked.call.id
        assert asked.problem or asked.call.name.strip()
        answer = message(asked, asked.call.name, ("{}", "ok"))
        assert json.dumps(asked.call.id) in json.dumps(answer)


@pytest.mark.proves("call-one-answer")
@given(st.lists(json_values, max_size=5))
def test_any_list_of_calls_gets_one_answer_each(runtime_of_echo, calls):
    answers = runtime_of_echo.call_many_sync({"tool_calls": calls})
    assert len(answers) == len(calls)
    for answer in answers:
        json.dumps(answer)


@pytest.fixture(scope="module")
def runtime_of_echo():
    from hermes import Runtime
    from hermes.runtime.registry import ToolRegistry

    registry = ToolRegistry()
    registry.register("echo", "t", {"type": "object"}, lambda args: args)
    with Runtime(registry=registry, config={"journal": {"enabled": False}}) as rt:
        yield rt
