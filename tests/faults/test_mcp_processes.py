"""Servers that hang, die, babble, flood and lie: bounded time, a clear answer, nothing left."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from tests.mcp import conftest
from tests.mcp.conftest import PLAIN, plain

from hermes.app import servers
from hermes.mcp.definitions import ToolDefinition
from hermes.mcp.supervisor import Patience

home, runtime_of = conftest.home, conftest.runtime_of


def call(runtime, name, args=None, **more):
    return json.loads(runtime.call_sync(name, args or {}, **more))


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(processes, seconds=5.0):
    until = time.monotonic() + seconds
    while any(map(is_alive, processes)) and time.monotonic() < until:
        time.sleep(0.01)
    return not any(map(is_alive, processes))


def processes_of(runtime, name="plain"):
    return json.loads(call(runtime, f"mcp-{name}:processes")["result"])


def trouble(runtime):
    return " ".join(text for _, text in runtime.problems())


@pytest.mark.proves("mcp-bounded")
def test_a_server_that_never_answers_is_given_up_in_time(runtime_of):
    runtime = runtime_of({"plain": plain("mute", connect_timeout=1)})
    began = time.monotonic()
    call(runtime, "mcp-plain:echo")
    assert time.monotonic() - began < 8
    assert "did not answer within 1 seconds" in trouble(runtime)


def test_a_server_that_cannot_start_says_why(runtime_of):
    runtime = runtime_of({"plain": plain("crash")})
    call(runtime, "mcp-plain:echo")
    assert "exit code 7" in trouble(runtime)
    assert "cannot open the database" in trouble(runtime)


def test_a_server_that_dies_in_a_call_leaves_the_others_alone(runtime_of):
    runtime = runtime_of({"plain": plain(), "other": plain()})
    before = processes_of(runtime, "other")

    async def both():
        return await asyncio.gather(
            runtime.call("mcp-other:sleep", {"seconds": 0.3}), runtime.call("mcp-plain:die", {})
        )

    call(runtime, "mcp-plain:echo")
    slept, died = asyncio.run(both())
    assert "slept" in slept
    assert json.loads(died)["code"] == "connection_lost"
    assert processes_of(runtime, "other") == before


def test_garbage_on_its_output_is_logged_and_skipped(runtime_of, home):
    runtime = runtime_of({"plain": plain("garbage")})
    assert call(runtime, "mcp-plain:echo", {"text": "hi"})["result"] == "hi"
    assert "hello, I am a server" in (home / "logs/mcp/plain.log").read_text()


def test_a_message_of_a_hundred_megabytes_ends_the_server_and_not_us(runtime_of):
    runtime = runtime_of({"plain": plain()})
    began = time.monotonic()
    answer = call(runtime, "mcp-plain:big", {"n": 100_000_000})
    assert time.monotonic() - began < 20
    assert answer["code"] == "connection_lost"
    assert "more than 16,777,216 bytes" in answer["error"]
    assert call(runtime, "mcp-plain:echo", {"text": "back"})["result"] == "back"


def test_a_long_answer_within_bounds_arrives(runtime_of):
    runtime = runtime_of({"plain": plain()})
    answer = call(runtime, "mcp-plain:big", {"n": 3_000_000})
    assert answer["truncated"]["chars"] > 3_000_000


@pytest.mark.proves("mcp-bounded")
def test_a_flood_of_notifications_holds_up_nobody(runtime_of):
    runtime = runtime_of({"plain": plain("flood"), "other": plain()})
    call(runtime, "mcp-other:echo")
    assert call(runtime, "mcp-plain:echo", {"text": "through"})["result"] == "through"
    began = time.monotonic()
    for _ in range(50):
        assert call(runtime, "mcp-other:echo", {"text": "hi"})["result"] == "hi"
    assert time.monotonic() - began < 5


def test_a_server_whose_tools_always_change_is_asked_ever_less_often(runtime_of):
    runtime = runtime_of({"plain": plain("loop")})
    call(runtime, "mcp-plain:echo")
    call(runtime, "mcp-plain:sleep", {"seconds": 2})
    assert int(call(runtime, "mcp-plain:listed")["result"]) < 12
    assert call(runtime, "mcp-plain:echo", {"text": "hi"})["result"] == "hi"


def test_a_tool_that_changed_since_it_was_seen_is_not_called(runtime_of, tmp_path):
    changed = tmp_path / "changed"
    first = runtime_of({"plain": plain(f"changed={changed}")})
    assert call(first, "mcp-plain:echo", {"text": "hi"})["result"] == "hi"
    first.close()
    changed.touch()
    second = runtime_of({"plain": plain(f"changed={changed}")})
    answer = call(second, "mcp-plain:echo", {"text": "hi"})
    assert "hermes mcp approve plain" in answer["error"]
    again = call(second, "mcp-plain:echo", {"text": "hi"})
    assert again["code"] == "unavailable"


def test_a_tool_that_is_gone_since_it_was_seen_is_said_to_be(runtime_of):
    runtime = runtime_of({"plain": plain("without=echo")})
    call(runtime, "mcp-plain:sleep", {"seconds": 0})
    source = servers.of(runtime).source("plain")
    offered = source.known.definitions
    runtime.close()
    echo = ToolDefinition("echo", description="Say it again.")
    again = runtime_of({"plain": plain("without=echo")})
    servers.of(again).source("plain").learn(offered._replace(tools=(*offered.tools, echo)))
    assert "mcp-plain:echo" in again.registry
    answer = call(again, "mcp-plain:echo", {"text": "hi"})
    assert "has no tool 'echo' any more" in answer["error"]
    assert "mcp-plain:echo" not in again.registry


def test_a_crash_loop_is_slowed_down_and_parked(runtime_of, tmp_path):
    count = tmp_path / "count"
    runtime = runtime_of({"plain": plain("crash", f"count={count}")})
    hub = servers.of(runtime)
    hub._patience = Patience(first_seconds=0.01, probe_seconds=60)
    began = time.monotonic()
    for _ in range(100):
        call(runtime, "mcp-plain:echo")
    assert time.monotonic() - began < 20
    assert len(count.read_text()) <= 12
    assert hub._supervisors["plain"].is_parked


def test_a_server_that_dies_in_every_call_is_parked(runtime_of):
    runtime = runtime_of({"plain": plain()})
    hub = servers.of(runtime)
    hub._patience = Patience(first_seconds=0.01, probe_seconds=60)
    answers = [call(runtime, "mcp-plain:die") for _ in range(20)]
    assert {answer["code"] for answer in answers} == {"connection_lost", "server_unreachable"}
    assert "left alone" in answers[-1]["error"]
    assert "next attempt is in" in answers[-1]["error"]


@pytest.mark.proves("mcp-nothing-left")
@pytest.mark.parametrize("flags", [("child",), ("stubborn", "child")])
def test_closing_ends_the_server_with_all_that_it_started(runtime_of, flags):
    runtime = runtime_of({"plain": plain(*flags)})
    processes = processes_of(runtime)
    assert len(processes) == 2
    began = time.monotonic()
    runtime.close()
    assert time.monotonic() - began < 6
    assert gone(processes)


@pytest.mark.proves("mcp-nothing-left")
def test_nothing_outlives_a_hermes_that_was_killed(home):
    program = textwrap.dedent(
        f"""
        import json, sys, time
        from hermes import Runtime
        from hermes.runtime.registry import ToolRegistry
        server = {{"command": sys.executable, "args": [{PLAIN!r}, "child"], "advisories": "off"}}
        config = {{"home": {str(home)!r}, "mcp_servers": {{"plain": server}}}}
        runtime = Runtime(config=config, registry=ToolRegistry())
        print(json.loads(runtime.call_sync("mcp-plain:processes", {{}}))["result"], flush=True)
        time.sleep(60)
        """
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as hermes:
        processes = json.loads(hermes.stdout.readline())
        assert all(map(is_alive, processes))
        os.kill(hermes.pid, signal.SIGKILL)
        assert gone(processes)


@pytest.mark.proves("mcp-nothing-left")
def test_starting_and_stopping_leaves_neither_descriptors_nor_processes(runtime_of):
    def held():
        return len(os.listdir("/proc/self/fd"))

    counts = []
    for _ in range(6):
        runtime = runtime_of({"plain": plain()})
        call(runtime, "mcp-plain:echo")
        processes = processes_of(runtime)
        runtime.close()
        assert gone(processes)
        counts.append(held())
    assert counts[-1] <= counts[1]


def test_a_server_that_is_killed_is_started_again(runtime_of):
    runtime = runtime_of({"plain": plain()})
    (before,) = processes_of(runtime)
    os.kill(before, signal.SIGKILL)
    (after,) = processes_of(runtime)
    assert after != before
