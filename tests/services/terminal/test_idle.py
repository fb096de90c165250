"""Environments rest when their tasks do nothing, and are back with the next command."""

import asyncio
import json

import pytest

from hermes import Runtime
from hermes.services.terminal import Terminal


@pytest.fixture
def drive(tmp_path):
    """Run a story with a caller, the terminal, and environments that rest as soon as they can."""

    def run(story, seconds=1, **config):
        async def main():
            settings = {"terminal.idle_seconds": seconds, **config}
            async with Runtime(cwd=tmp_path, config=settings) as rt:

                async def call(command=None, *, tool="terminal", **more):
                    arguments = more if command is None else {"command": command, **more}
                    return json.loads(await rt.call(tool, arguments))

                await call("true")
                return await asyncio.wait_for(story(call, rt.services.get(Terminal)), 30)

        return asyncio.run(main())

    return run


async def rested(terminal):
    while "default" not in terminal._rested:
        await asyncio.sleep(0.02)
    return terminal._environments["default"]


@pytest.mark.proves("terminal-idle")
def test_a_task_that_did_nothing_for_a_while_is_back_with_its_state(drive):
    async def story(call, terminal):
        await call(
            "mkdir d; cd d; export A=1; B=2; f() { echo f; }; alias g='echo g'; touch /tmp/t"
        )
        environment = await rested(terminal)
        was_closed = environment._shell is None
        return was_closed, await call("basename $PWD; echo $A$B; f; g; ls /tmp/t"), await call("f")

    was_closed, back, later = drive(story)
    assert was_closed
    assert back["stdout"] == "d\n12\nf\ng\n/tmp/t\n"
    assert back["note"].startswith("After 1 s without a command the shell was closed")
    assert later == {"exit_code": 0, "stdout": "f\n"}


@pytest.mark.proves("terminal-idle")
@pytest.mark.parametrize("way", ["session", "job"])
def test_what_runs_in_the_background_keeps_it_awake(drive, way):
    async def story(call, terminal):
        if way == "session":
            started = await call("read line", background=True)
        else:
            await call("exec 3>&2; sleep 600 & echo $!")
        asked = []
        rest = terminal._rest

        async def watched(task_id):
            asked.append(await rest(task_id))
            return asked[-1]

        terminal._idle._rest = watched
        while len(asked) < 2:
            await asyncio.sleep(0.05)
        if way == "session":
            await call(tool="process", action="kill", session_id=started["session_id"])
        else:
            await call("kill %1; wait")
        await rested(terminal)
        return asked[:2], asked[-1]

    assert drive(story) == ([False, False], True)


def test_a_command_that_comes_while_it_rests_waits_for_that(drive):
    async def story(call, terminal):
        await call("export A=1")
        environment = terminal._environments["default"]
        rest, began = environment.rest, asyncio.Event()
        loop = asyncio.get_running_loop()

        async def slowly():
            loop.call_soon_threadsafe(began.set)
            await asyncio.sleep(0.2)
            return await rest()

        environment.rest = slowly
        await began.wait()
        return await call("echo $A")

    assert drive(story)["stdout"] == "1\n"


def test_nothing_rests_where_that_is_not_wanted(drive):
    async def story(call, terminal):
        await call("true")
        return terminal._idle._due, terminal._idle._watching

    assert drive(story, seconds=0) == ({}, None)
