import json
import subprocess
import sys

import pytest

from hermes.base.errors import HermesError, Unavailable
from hermes.runtime.declare import entry_of


def declare(registry, function, **options):
    registry.add(entry_of(function, **options))


def names(definitions):
    return [one["function"]["name"] for one in definitions]


def one(x: int = 1):
    """Do one thing. Use `two` for more. Read `x` first."""


def two():
    """Do two things."""


@pytest.mark.proves("offer-stable")
def test_definitions_are_sorted_and_the_same_until_something_changes(registry, runtime):
    declare(registry, two)
    declare(registry, one)
    rt = runtime()
    first = rt.definitions()
    assert names(first) == ["one", "two"]
    assert all(a is b for a, b in zip(first, rt.definitions(), strict=True))


def test_a_callers_list_is_its_own(registry, runtime):
    declare(registry, one)
    rt = runtime()
    rt.definitions().clear()
    assert names(rt.definitions()) == ["one"]


@pytest.mark.proves("offer-stable")
def test_later_tools_are_appended(registry, runtime):
    declare(registry, two)
    rt = runtime()
    rt.definitions()
    declare(registry, one)
    assert names(rt.definitions()) == ["two", "one"]


def test_an_unavailable_tool_is_hidden_and_people_see_why(registry, runtime):
    def check():
        raise Unavailable("the daemon is not running")

    declare(registry, one, check_fn=check)
    declare(registry, two, requires_env=["NO_SUCH_VARIABLE_HERE"])
    declare(registry, two, name="three", requires_bin=["no-such-program-here"])
    declare(registry, two, name="four", requires_extra="nothing")
    declare(registry, two, name="five", check_fn=lambda: False)
    rt = runtime()
    assert rt.definitions() == []
    reasons = {status.entry.name: status.reason for status in rt.status()}
    assert reasons["one"] == "the daemon is not running"
    assert "NO_SUCH_VARIABLE_HERE" in reasons["two"]
    assert "no-such-program-here" in reasons["three"]
    assert "pip install" in reasons["four"]
    answer = json.loads(rt.call_sync("one"))
    assert answer["code"] == "unavailable" and "daemon" in answer["error"]


def test_a_shared_check_runs_once_and_is_remembered(registry, runtime):
    ran = []

    def check():
        ran.append(1)
        return True

    for name in ("a", "b", "c"):
        declare(registry, two, name=name, check_fn=check)
    rt = runtime()
    rt.definitions()
    rt.status()
    assert ran == [1]


def test_a_check_is_asked_again_after_its_time(registry):
    from hermes.runtime.availability import Availability

    now = [0.0]
    works = [True]
    entry = entry_of(two, check_fn=lambda: works[0])
    availability = Availability(dict, ttl_seconds=30, clock=lambda: now[0])
    assert availability.reason(entry) is None
    works[0] = False
    now[0] = 29.0
    assert availability.reason(entry) is None
    now[0] = 30.0
    assert availability.reason(entry) is not None


def test_descriptions_mention_only_tools_on_offer(registry, runtime):
    declare(registry, one)
    declare(registry, two, toolset="other")
    rt = runtime()
    with_two = rt.definitions(["one", "two"])[0]["function"]["description"]
    without = rt.definitions(["one"])[0]["function"]["description"]
    assert with_two == "Do one thing. Use `two` for more. Read `x` first."
    assert without == "Do one thing. Read `x` first."


def test_dynamic_overrides_are_seen_at_once(registry, runtime):
    words = ["first"]
    declare(registry, two, dynamic_schema_overrides=lambda: {"description": words[0]})
    rt = runtime()
    assert rt.definitions()[0]["function"]["description"] == "first"
    words[0] = "second"
    assert rt.definitions()[0]["function"]["description"] == "second"


def test_unknown_toolsets_and_formats_are_errors_that_suggest(registry, runtime):
    declare(registry, one, toolset="file")
    rt = runtime()
    with pytest.raises(HermesError) as caught:
        rt.definitions(["fiel"])
    assert "file" in caught.value.hint
    with pytest.raises(HermesError):
        rt.definitions(format="opnai")
    with pytest.raises(HermesError):
        runtime(toolsets=["fiel"])


def test_a_runtime_calls_only_tools_of_its_toolsets(registry, runtime):
    declare(registry, one, toolset="a")
    declare(registry, two, toolset="b")
    rt = runtime(toolsets=["a"])
    assert names(rt.definitions()) == ["one"]
    assert json.loads(rt.call_sync("two"))["code"] == "not_offered"
    assert rt.call_sync("one") == '{"result":null}'


@pytest.mark.parametrize("format", ["openai", "openai-responses", "anthropic", "gemini", "mcp"])
def test_every_format_names_every_tool(registry, runtime, format):
    declare(registry, one)
    declare(registry, two)
    text = json.dumps(runtime().definitions(format=format))
    assert '"one"' in text and '"two"' in text


def bridged(runtime):
    sets = ["file", "system", "terminal"]
    return runtime(registry=None, toolsets=sets, config={"tools.defer": sets})


def test_deferred_tools_are_found_and_called_through_the_bridges(runtime):
    rt = bridged(runtime)
    assert names(rt.definitions()) == ["tool_call", "tool_describe", "tool_search"]
    found = json.loads(rt.call_sync("tool_search", {"query": "wait a few seconds"}))
    assert "sleep" in [hit["name"] for hit in found["tools"]]
    described = json.loads(rt.call_sync("tool_describe", {"name": "sleep"}))
    assert "seconds" in described["parameters"]["properties"]
    seen = []
    rt.hooks.add("pre_tool_call", lambda name, args: seen.append((name, dict(args))))
    answer = rt.call_sync("tool_call", {"name": "sleep", "arguments": {"seconds": "0"}})
    assert json.loads(answer) == {"slept": 0}
    assert seen == [("sleep", {"seconds": 0})]


def test_the_bridges_reach_no_further_than_the_toolsets(registry, runtime):
    rt = runtime(registry=None, toolsets=["tool_search"])
    answer = json.loads(rt.call_sync("tool_call", {"name": "sleep", "arguments": {"seconds": 0}}))
    assert answer["code"] == "not_offered"
    assert json.loads(rt.call_sync("tool_search", {"query": "sleep"}))["tools"] == []


def test_a_budget_defers_strangers_first(registry, runtime):
    declare(registry, one, toolset="big")
    declare(registry, two, toolset="small")
    rt = runtime(config={"tools.defer_over_tokens": 25})
    assert names(rt.definitions()) == ["two"]


def test_listing_tools_loads_nothing_heavy():
    code = (
        "import sys, hermes; rt = hermes.Runtime(); rt.definitions(); rt.status()\n"
        "rt = hermes.Runtime(); rt.definitions()\n"
        "heavy = {'asyncio','msgspec','jsonschema_rs','yaml','rich','httpx2','dataclasses'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    # the first start finds the tools by importing them, the second from what the first kept
    for expected in (None, "[]"):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert expected is None or done.stdout.strip() == expected
