"""The documented synchronous names, on the process-wide runtime."""

import asyncio
import copy
import json

import pytest

import hermes
import hermes.toolsets
from hermes.base.errors import HermesError, UnknownTool
from hermes.tools import (
    coerce_tool_args,
    discover_builtin_tools,
    get_tool_definitions,
    handle_function_call,
    handle_tool_calls,
    registry,
    tool,
)


@pytest.fixture(autouse=True)
def process_runtime():
    """Have the process-wide runtime made anew in this test's home."""
    hermes.default_runtime.cache_clear()
    yield
    hermes.default_runtime().close()
    hermes.default_runtime.cache_clear()


@pytest.fixture
def declared():
    """A tool of a user's own in the process-wide registry."""

    @tool(toolset="of_a_user", aliases=[{"name": "add_ten", "preset": {"b": 10}}])
    def add_numbers(a: int, b: int = 1) -> int:
        """Add two numbers."""
        return a + b

    yield "add_numbers"
    registry.deregister("add_numbers")


SHAPES = {
    "openai": lambda one: one["function"]["name"],
    "openai-responses": lambda one: one["name"],
    "anthropic": lambda one: (one["input_schema"], one["name"])[1],
    "gemini": lambda one: one["name"],
    "mcp": lambda one: (one["inputSchema"], one["name"])[1],
}


@pytest.mark.parametrize("format", SHAPES)
def test_definitions_come_in_every_format(declared, format):
    names = [SHAPES[format](one) for one in get_tool_definitions(format=format)]
    assert names == sorted(names)
    assert {"sleep", "system_info", "env_manager", "add_numbers"} <= set(names)
    assert json.loads(json.dumps(get_tool_definitions(format=format)))


def test_definitions_can_be_narrowed_and_quiet_mode_changes_nothing(declared):
    def names(**options):
        return [one["function"]["name"] for one in get_tool_definitions(**options)]

    assert names(enabled_toolsets=["of_a_user"]) == ["add_numbers"]
    assert "add_numbers" not in names(disabled_toolsets=["of_a_user"])
    assert names(enabled_toolsets=["of_a_user", "system"], disabled_toolsets=["system"]) == [
        "add_numbers"
    ]
    assert names(quiet_mode=True) == names()


@pytest.mark.proves("offer-unknown-name")
@pytest.mark.parametrize("list_", ["enabled_toolsets", "disabled_toolsets"])
def test_an_unknown_toolset_is_an_error_that_suggests(list_):
    with pytest.raises(HermesError) as caught:
        get_tool_definitions(**{list_: ["sistem"]})
    assert "system" in caught.value.hint


def test_an_unknown_format_is_an_error_that_suggests():
    with pytest.raises(HermesError) as caught:
        get_tool_definitions(format="antropic")
    assert "anthropic" in f"{caught.value} {caught.value.hint}"


def test_a_call_is_answered_as_json_text(declared):
    assert handle_function_call("add_numbers", {"a": "2", "b": 3}) == '{"result":5}'
    assert handle_function_call("add_ten", '{"a": 2}', task_id="t", user_task="sum") == (
        '{"result":12}'
    )
    assert json.loads(handle_function_call("add_numbers", {}))["code"] == "invalid_arguments"
    assert json.loads(handle_function_call("ad_numbers", {}))["code"] == "unknown_tool"


def test_rt_call_answers_the_same_text(declared):
    given = {"a": 4}
    answer = asyncio.run(hermes.default_runtime().call("add_numbers", given))
    assert answer == handle_function_call("add_numbers", given)


def test_the_calls_of_a_message_are_answered_in_order_under_their_ids(declared):
    calls = [
        {
            "id": "a",
            "type": "function",
            "function": {"name": "add_numbers", "arguments": '{"a":1}'},
        },
        {"id": "b", "type": "function", "function": {"name": "nope", "arguments": "{}"}},
        {"id": "c", "type": "function", "function": {"name": "add_numbers", "arguments": "{"}},
    ]
    answers = handle_tool_calls({"role": "assistant", "tool_calls": calls}, task_id="t")
    assert [answer["tool_call_id"] for answer in answers] == ["a", "b", "c"]
    assert answers[0]["content"] == '{"result":2}'
    assert [json.loads(answer["content"]).get("code") for answer in answers[1:]] == [
        "unknown_tool",
        "malformed_arguments",
    ]


def test_arguments_are_coerced_without_touching_the_callers_dict(declared):
    given = {"A": "2", "b": "3"}
    before = copy.deepcopy(given)
    assert coerce_tool_args("add_numbers", given) == {"a": 2, "b": 3}
    assert given == before
    with pytest.raises(UnknownTool):
        coerce_tool_args("ad_numbers", {})


def test_arguments_of_an_alias_are_coerced_as_the_tool_would_be_given_them(declared):
    assert coerce_tool_args("add_ten", {"a": "2"}) == {"a": 2, "b": 10}


def test_built_in_tools_are_discovered_by_name(declared):
    names = discover_builtin_tools()
    assert {"clipboard", "env_manager", "notification", "sleep", "system_info"} <= set(names)
    assert names == sorted(names) and "add_numbers" not in names
    assert all(name in registry for name in names)


def test_a_tool_declared_after_the_first_use_shows_up_and_one_taken_out_is_gone():
    names = {one["function"]["name"] for one in get_tool_definitions()}
    assert "declared_late" not in names

    @tool(toolset="of_a_user")
    def declared_late():
        """Be late."""
        return "late"

    try:
        assert "declared_late" in {one["function"]["name"] for one in get_tool_definitions()}
        assert handle_function_call("declared_late", {}) == '{"result":"late"}'
    finally:
        registry.deregister("declared_late")
    assert "declared_late" not in {one["function"]["name"] for one in get_tool_definitions()}
    assert json.loads(handle_function_call("declared_late", {}))["code"] == "unknown_tool"


def test_toolsets_are_resolved_listed_and_made(declared):
    assert hermes.toolsets.resolve_toolset("of_a_user") == ["add_numbers"]
    assert set(hermes.toolsets.resolve_toolset("all")) >= {"add_numbers", "sleep"}
    assert hermes.toolsets.resolve_toolset("*") == hermes.toolsets.resolve_toolset("all")
    everything = hermes.toolsets.get_all_toolsets()
    assert everything["system"]["description"] and "sleep" in everything["system"]["tools"]
    assert everything == hermes.toolsets.TOOLSETS
    hermes.toolsets.create_custom_toolset("mine", "My own.", ["sleep"], ["of_a_user"])
    assert hermes.toolsets.resolve_toolset("mine") == ["add_numbers", "sleep"]
    assert hermes.toolsets.TOOLSETS["mine"] == {
        "description": "My own.",
        "tools": ["sleep"],
        "includes": ["of_a_user"],
    }
    assert [one["function"]["name"] for one in get_tool_definitions(["mine"])] == [
        "add_numbers",
        "sleep",
    ]
    assert hermes.toolsets.is_toolset_available("mine")


@pytest.mark.proves("offer-unknown-name")
def test_toolsets_that_cannot_be_are_refused_with_the_nearest_name():
    with pytest.raises(HermesError) as caught:
        hermes.toolsets.resolve_toolset("sistem")
    assert "system" in caught.value.hint
    with pytest.raises(HermesError):
        hermes.toolsets.create_custom_toolset("mine", "", ["no_such_tool"])
    with pytest.raises(HermesError):
        hermes.toolsets.is_toolset_available("sistem")


def test_a_toolset_whose_tools_cannot_run_is_not_available():
    @tool(toolset="far_away", requires_env=["NO_SUCH_VARIABLE"])
    def beam():
        """Beam."""

    try:
        assert not hermes.toolsets.is_toolset_available("far_away")
    finally:
        registry.deregister("beam")


def test_the_process_wide_runtime_is_one_and_asks_nobody():
    assert hermes.default_runtime() is hermes.default_runtime()
    assert hermes.default_runtime().gate.approvals.approver is None
