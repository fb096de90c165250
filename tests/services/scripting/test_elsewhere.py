"""A script on another machine: the same protocol over its input and output."""

import asyncio
import json
import runpy
import sys
from pathlib import Path

import pytest

from hermes.app.scripting import start_elsewhere
from hermes.environments.remote import RemoteEnvironment
from hermes.services.scripting import stubs
from hermes.services.scripting.limits import Limits
from hermes.services.scripting.runs import Run, Script

ENVIRONMENTS = Path(__file__).parents[2] / "environments"
Here = runpy.run_path(str(ENVIRONMENTS / "agent_channel.py"))["Here"]
live = runpy.run_path(str(ENVIRONMENTS / "running.py"))["live"]
USUAL = Limits()
TOOL = stubs.Callable(
    "double", "Double it.", {"properties": {"n": {"type": "integer"}}, "required": ["n"]}
)
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the agent runs on Linux")


async def double(name, arguments, number):
    if arguments["n"] > 100:
        return json.dumps({"error": "too large", "code": "large", "hint": "Take less."}), "large"
    await asyncio.sleep(0.2 if arguments["n"] < 0 else 0)
    return json.dumps({"n": arguments["n"] * 2}), "ok"


@pytest.fixture
def run(tmp_path):
    def whole(code, limits=USUAL):
        async def story(environment):
            await environment.start()
            line = await start_elsewhere(environment, limits)
            script = Script(code, (TOOL,), double, limits, "")
            return await Run(script, line).to_its_end(stubs.module((TOOL,)))

        return live(story, RemoteEnvironment(Here(tmp_path), str(tmp_path)))

    return whole


@pytest.mark.proves("script-elsewhere")
def test_it_calls_tools_and_prints_there(run, tmp_path):
    told = run(
        "import os, sys, subprocess\nfrom hermes_tools import aio, double, gather, ToolFailed\n"
        "print(double(2)['n'], os.getcwd())\nsys.stdout.flush()\n"
        "subprocess.run(['echo', 'child'])\nprint('err', file=sys.stderr)\n"
        "print([r['n'] for r in gather(aio.double(-1) for _ in range(9))])\n"
        "try:\n    double(101)\nexcept ToolFailed as e:\n    print(e.code, e.hint)\n"
    )
    assert told.stdout[0] == f"4 {tmp_path}\nchild\n{[-2] * 9}\nlarge Take less.\n"
    assert (told.stderr[0], told.outcome.exit_code, told.calls) == ("err\n", 0, 11)
    assert told.seconds < 10


def test_limits_hold_there(run):
    told = run("print('begun')\nwhile True: pass", Limits(seconds=1))
    assert (told.stdout[0], told.kind) == ("begun\n", "time")
    told = run("from hermes_tools import double\nfor n in range(9): double(n)", Limits(calls=3))
    assert (told.kind, told.calls) == ("calls", 3)
    told = run("while True: print('x' * 10000)", Limits(printed_bytes=100_000))
    assert told.kind == "output"


def test_a_grandchild_there_does_not_hold_the_answer(run):
    told = run("import subprocess\nsubprocess.Popen(['sleep', '60'])\nprint('done')")
    assert (told.stdout[0], told.outcome.exit_code) == ("done\n", 0)
    assert told.seconds < 10
