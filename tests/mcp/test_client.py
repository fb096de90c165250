import asyncio
import functools
import json
import time

import pytest
from tests.mcp.conftest import plain

from hermes.app import servers


def on_loop(test):
    @functools.wraps(test)
    def run(*args, **kwargs):
        asyncio.run(test(*args, **kwargs))

    return run


def call(runtime, name, args=None, **more):
    return json.loads(runtime.call_sync(name, args or {}, **more))


def names(runtime):
    return [entry.name for entry in runtime.registry.entries()]


def test_a_call_starts_the_server_and_brings_its_answer(runtime_of):
    runtime = runtime_of({"plain": plain()})
    answer = call(runtime, "mcp-plain:echo", {"text": "hi"})
    assert answer["result"] == "hi"
    assert "MCP server plain" in answer["untrusted"]
    assert "mcp-plain:echo" in names(runtime)
    assert call(runtime, "mcp__plain__echo", {"text": "safe"})["result"] == "safe"


def test_tools_are_known_at_the_next_start_without_starting_the_server(runtime_of, home):
    call(runtime_of({"plain": plain()}), "mcp-plain:echo", {"text": "hi"})
    log = home / "logs/mcp/plain.log"
    log.unlink(missing_ok=True)
    second = runtime_of({"plain": plain()})
    definitions = second.definitions(format="mcp")
    echo = next(one for one in definitions if one["name"] == "mcp__plain__echo")
    assert echo["title"] == "Echo"
    assert echo["annotations"]["readOnlyHint"] is True
    assert not servers.of(second)._supervisors


def test_the_toolset_of_a_server_can_be_chosen_before_it_was_ever_seen(runtime_of):
    runtime = runtime_of({"plain": plain()}, toolsets=["mcp-plain"])
    assert runtime.toolsets.resolve("mcp-plain") == []
    assert call(runtime, "mcp-plain:echo", {"text": "hi"})["result"] == "hi"
    assert "mcp-plain:echo" in runtime.toolsets.resolve("mcp-plain")


def test_a_server_of_other_settings_is_another_server(runtime_of):
    call(runtime_of({"plain": plain()}), "mcp-plain:echo")
    assert "mcp-plain:echo" not in names(runtime_of({"plain": plain("other")}))


def test_annotations_become_effects_and_permissions(runtime_of):
    runtime = runtime_of({"plain": plain()})
    call(runtime, "mcp-plain:echo")
    entries = {entry.name: entry for entry in runtime.registry.entries()}
    reading, writing = entries["mcp-plain:echo"], entries["mcp-plain:die"]
    assert (reading.effects, reading.permissions) == ({"read"}, ("mcp:read",))
    assert (writing.effects, writing.permissions) == ({"write"}, ("mcp:write",))
    assert reading.toolset == "mcp-plain"
    assert entries["mcp-plain:die_once"].idempotent


def test_include_and_exclude_choose_tools(runtime_of):
    chosen = plain(tools={"include": ["e*", "sleep"], "exclude": ["environment"]})
    runtime = runtime_of({"plain": chosen})
    call(runtime, "mcp-plain:echo")
    assert names(runtime) == ["mcp-plain:echo", "mcp-plain:sleep"]
    assert call(runtime, "mcp-plain:fail")["code"] == "unknown_tool"


def test_a_disabled_server_offers_nothing(runtime_of):
    runtime = runtime_of({"plain": plain(enabled=False)})
    assert call(runtime, "mcp-plain:echo")["code"] == "unknown_tool"


def test_an_error_of_the_tool_is_an_answer_and_leaves_the_server_up(runtime_of):
    runtime = runtime_of({"plain": plain()})
    for _ in range(10):
        assert call(runtime, "mcp-plain:fail")["error"] == "record not found"
    refused = call(runtime, "mcp-plain:refuse")
    assert (refused["code"], refused["details"]) == ("server_error", {"day": "Monday"})
    assert call(runtime, "mcp-plain:echo", {"text": "up"})["result"] == "up"


@pytest.mark.proves("mcp-together")
@on_loop
async def test_calls_share_one_connection_and_run_together(runtime_of):
    runtime = runtime_of({"plain": plain()})
    await runtime.call("mcp-plain:echo", {})
    began = time.perf_counter()
    calls = [runtime.call("mcp-plain:sleep", {"seconds": 0.5}) for _ in range(5)]
    assert all("slept" in answer for answer in await asyncio.gather(*calls))
    assert time.perf_counter() - began < 1.5


@pytest.mark.proves("mcp-lost-calls")
def test_a_server_that_died_is_started_again(runtime_of):
    runtime = runtime_of({"plain": plain()})
    lost = call(runtime, "mcp-plain:die")
    assert lost["code"] == "connection_lost"
    assert "exit code 3" in lost["error"]
    assert "look before" in lost["hint"]
    assert call(runtime, "mcp-plain:echo", {"text": "back"})["result"] == "back"


@pytest.mark.proves("mcp-lost-calls")
def test_a_call_that_a_crash_lost_is_made_again_if_the_tool_is_idempotent(runtime_of, tmp_path):
    runtime = runtime_of({"plain": plain()})
    answer = call(runtime, "mcp-plain:die_once", {"marker": str(tmp_path / "marker")})
    assert answer["result"] == "survived"


def test_the_environment_is_filtered_and_what_is_declared_is_added(runtime_of, monkeypatch):
    monkeypatch.setenv("MY_API_TOKEN", "do-not-tell")
    monkeypatch.setenv("SOME_VALUE", "told")
    runtime = runtime_of({"plain": plain(env={"GIVEN": "${SOME_VALUE}!"})})
    seen = json.loads(call(runtime, "mcp-plain:environment")["result"])
    assert seen["GIVEN"] == "told!"
    assert "MY_API_TOKEN" not in seen
    assert "SOME_VALUE" not in seen
    assert "PATH" in seen


def test_a_missing_variable_is_told_by_the_call(runtime_of):
    runtime = runtime_of({"plain": plain(env={"KEY": "${NOT_SET_ANYWHERE}"})})
    answer = call(runtime, "mcp-plain:echo")
    assert answer["code"] == "server_unreachable"
    assert "NOT_SET_ANYWHERE is not set" in answer["error"]
    assert "Set NOT_SET_ANYWHERE" in answer["hint"]
    assert any("NOT_SET_ANYWHERE is not set" in text for _, text in runtime.problems())


@on_loop
async def test_progress_reaches_whoever_watches(runtime_of):
    runtime = runtime_of({"plain": plain()})
    told = []
    runtime.services.on_progress = lambda ctx, text: told.append(text)
    await runtime.call("mcp-plain:sleep", {"seconds": 0.05})
    assert told == ["1/2 half"]


@on_loop
async def test_cancelling_a_call_reaches_the_server(runtime_of):
    runtime = runtime_of({"plain": plain()})
    await runtime.call("mcp-plain:echo", {})
    running = asyncio.ensure_future(runtime.call("mcp-plain:sleep", {"seconds": 30}))
    await asyncio.sleep(0.1)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    for _ in range(50):
        cancelled = json.loads(json.loads(await runtime.call("mcp-plain:cancelled", {}))["result"])
        if cancelled:
            break
        await asyncio.sleep(0.02)
    assert len(cancelled) == 1


def test_a_call_that_takes_too_long_is_ended(runtime_of):
    runtime = runtime_of({"plain": plain()})
    answer = call(runtime, "mcp-plain:sleep", {"seconds": 30}, timeout_seconds=0.3)
    assert answer["code"] == "timeout"
    assert call(runtime, "mcp-plain:echo", {"text": "on"})["result"] == "on"


def test_a_program_that_is_not_there_is_named(runtime_of):
    runtime = runtime_of({"plain": {"command": "no-such-program-here"}})
    answer = call(runtime, "mcp-plain:echo")
    assert "the program 'no-such-program-here' is not installed" in answer["error"]
    assert "mcp_servers.plain.command" in answer["hint"]


def test_two_runtimes_share_a_registry_without_disturbing_each_other(home):
    from hermes import Runtime
    from hermes.runtime.registry import ToolRegistry

    registry = ToolRegistry()
    config = {"home": str(home), "mcp_servers": {"plain": plain()}}
    with Runtime(config=config, registry=registry) as first:
        call(first, "mcp-plain:echo")
        with Runtime(config=config, registry=registry) as second:
            assert call(second, "mcp-plain:echo", {"text": "2"})["result"] == "2"
        assert call(first, "mcp-plain:echo", {"text": "1"})["result"] == "1"
    assert "mcp-plain:echo" not in registry
