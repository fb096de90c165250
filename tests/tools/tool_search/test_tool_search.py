from pathlib import Path

import pytest

from hermes.base.errors import ToolError, UnknownTool
from hermes.runtime.availability import Availability
from hermes.runtime.context import Services, Task, ToolContext
from hermes.runtime.declare import entry_attached, entry_of
from hermes.runtime.offer import Catalogue, Offer
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.toolsets import Toolsets
from hermes.tools.tool_search.tool_call import tool_call
from hermes.tools.tool_search.tool_describe import tool_describe
from hermes.tools.tool_search.tool_search import tool_search


def get_weather(city: str, days: int = 3) -> str:
    """Return the weather forecast of a city.

    Args:
        city: Its name.
        days: How many days ahead.
    """
    return f"{city} {days}"


def send_fax(number: str) -> str:
    """Send a fax to a number."""
    return number


@pytest.fixture
def ctx():
    registry = ToolRegistry()
    for function in (get_weather, send_fax):
        registry.add(entry_of(function, toolset="custom"))
    toolsets = Toolsets(lambda: {"custom": ["get_weather", "send_fax"]})
    offer = Offer(registry, toolsets, Availability(dict))
    services = Services()
    services.provide(Catalogue, lambda: Catalogue(offer, ["custom"], None))
    return ToolContext(Task("t", Path("/")), "c1", services)


def test_a_tool_is_found_by_what_it_does(ctx):
    assert tool_search("weather forecast", ctx=ctx)["tools"][0] == {
        "name": "get_weather",
        "toolset": "custom",
        "description": "Return the weather forecast of a city.",
    }


def test_no_more_tools_than_asked_for_are_named(ctx):
    assert len(tool_search("send a weather fax to a city", 1, ctx=ctx)["tools"]) == 1


def test_a_search_that_finds_nothing_says_what_to_try(ctx):
    answer = tool_search("zzzz", ctx=ctx)
    assert answer == {"tools": [], "hint": "Try other words for what the tool should do."}


def test_a_described_tool_shows_its_parameters(ctx):
    described = tool_describe("get_weather", ctx=ctx)
    assert described["name"] == "get_weather"
    assert described["parameters"]["required"] == ["city"]


def test_a_tool_that_does_not_exist_is_an_error_with_the_nearest_name(ctx):
    with pytest.raises(UnknownTool) as caught:
        tool_describe("get_wether", ctx=ctx)
    assert "get_weather" in caught.value.hint


def test_a_call_is_unwrapped_to_the_tool_inside():
    unwrap = entry_attached(tool_call).unwrap
    assert unwrap({"name": "send_fax", "arguments": {"number": "1"}}) == (
        "send_fax",
        {"number": "1"},
    )
    assert unwrap({"name": "send_fax", "arguments": None}) == ("send_fax", {})


def test_a_call_that_was_not_unwrapped_runs_nothing():
    with pytest.raises(ToolError, match="send_fax did not run"):
        tool_call("send_fax", {})


def test_the_three_tools_are_offered_only_when_there_is_something_to_find():
    assert all(entry_attached(one).reveals for one in (tool_search, tool_describe, tool_call))
    limit = entry_attached(tool_search).parameters["properties"]["limit"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 20, 5)
    assert entry_attached(tool_call).parameters["required"] == ["name", "arguments"]
