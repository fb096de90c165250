"""A link that nothing is asked of may retire; one that is used, or not up yet, may not."""

import asyncio
import runpy
import sys
from pathlib import Path

import pytest

from hermes.environments.capture import Capture
from hermes.environments.cloud import tend
from hermes.environments.contract import Command
from hermes.environments.link import Link, Piped
from hermes.environments.remote import RemoteEnvironment

Here = runpy.run_path(str(Path(__file__).parent / "agent_channel.py"))["Here"]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the agent runs on Linux")


def live(story, folder):
    async def whole():
        environment = RemoteEnvironment(Here(folder), str(folder))
        try:
            return await story(environment)
        finally:
            await environment.close()

    return asyncio.run(asyncio.wait_for(whole(), 20))


async def out(environment, text):
    heard = Capture()
    await environment.execute(Command(text, timeout_seconds=10), heard)
    return heard.streams[0].ends()[0]


def test_a_link_that_is_not_up_yet_does_not_retire():
    link = Link(Piped(["sleep", "30"]), b"", lambda *_: None)
    assert (link.idle_seconds(), link.retire()) == (0.0, False)
    link.close()


def test_a_link_that_retired_is_followed_by_another_on_the_same_state(tmp_path):
    async def story(environment):
        await out(environment, "export A=kept; f() { echo $A; }")
        await asyncio.sleep(0)
        first = environment._link
        while b"kept" not in environment._state:  # it is told after the answer
            await asyncio.sleep(0.01)
        assert first.retire()
        return await out(environment, "f"), environment._link is first

    assert live(story, tmp_path) == (b"kept\n", False)


def test_a_link_does_not_retire_while_a_command_runs_but_while_somebody_watches(tmp_path):
    async def story(environment):
        await environment.start()
        await environment.files.watch(str(tmp_path), lambda *_: None)
        process = await environment.spawn(Command("read x"), Capture())
        busy = environment._link.idle_seconds(), environment._link.retire()
        await process.close()
        await process.wait()
        while not environment._link.retire():
            await asyncio.sleep(0.01)
        return busy

    assert live(story, tmp_path) == (0.0, False)


def test_a_link_is_tended_while_a_command_runs_and_retires_after_it(tmp_path):
    async def story(environment):
        await environment.start()
        beats = []

        async def beat(is_busy):
            beats.append(is_busy)

        running = asyncio.ensure_future(out(environment, "sleep 0.3"))
        while not environment._link._asked:
            await asyncio.sleep(0)
        has_retired = await tend(environment._link, 0.002, beat)
        return has_retired, beats[0], running.done()

    assert live(story, tmp_path) == (True, True, True)
