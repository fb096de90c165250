import asyncio
import json
import os
import threading

import pytest

from hermes.mcp.faults import Answered, Lost
from hermes.mcp.lines import Line, Writing
from hermes.mcp.shortcut import FIRST, Shortcut


class Wire:
    """A pipe with a shortcut at its one end, and what was written at the other."""

    def __init__(self):
        self.ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        self.writing = Writing(theirs)
        self.shortcut = Shortcut(self.writing, asyncio.get_running_loop())

    def sent(self):
        return json.loads(os.read(self.ours, 1 << 16).splitlines()[-1])

    def close(self):
        self.writing.end()
        os.close(self.ours)


def run(scenario):
    async def bounded():
        wire = Wire()
        try:
            async with asyncio.timeout(5):
                await scenario(wire)
        finally:
            wire.close()

    asyncio.run(bounded())


async def begun(wire, **more):
    asking = asyncio.ensure_future(wire.shortcut.ask("tools/call", {"name": "a"}, **more))
    await asyncio.sleep(0)
    return asking, wire.sent()


def test_a_result_comes_to_whoever_asked():
    async def scenario(wire):
        asking, sent = await begun(wire)
        assert sent["params"] == {"name": "a"}
        assert wire.shortcut.take(Line("2.0", sent["id"], result={"x": 1}))
        assert await asking == {"x": 1}
        assert wire.shortcut.take(Line("2.0", sent["id"], result={})), "a second answer is dropped"

    run(scenario)


def test_an_id_that_comes_back_as_a_text_is_known():
    async def scenario(wire):
        asking, sent = await begun(wire)
        assert wire.shortcut.take(Line("2.0", str(sent["id"]), result={"x": 2}))
        assert await asking == {"x": 2}

    run(scenario)


@pytest.mark.parametrize("answer", [{}, {"result": [1]}, {"error": "no"}, {"result": None}])
def test_an_answer_that_is_none_is_said_to_be(answer):
    async def scenario(wire):
        asking, sent = await begun(wire)
        assert wire.shortcut.take(Line("2.0", sent["id"], **answer))
        with pytest.raises(Answered, match="neither a result nor an error"):
            await asking

    run(scenario)


def test_an_error_is_an_answer():
    async def scenario(wire):
        asking, sent = await begun(wire)
        wire.shortcut.take(Line("2.0", sent["id"], error={"code": -5, "message": "no", "data": 1}))
        with pytest.raises(Answered) as caught:
            await asking
        assert (caught.value.code, caught.value.message, caught.value.data) == (-5, "no", 1)

    run(scenario)


def test_what_belongs_to_others_is_left_to_them():
    async def scenario(wire):
        assert not wire.shortcut.take(Line("2.0", 7, result={}))
        assert not wire.shortcut.take(Line("2.0", method="notifications/message", params={}))
        token = {"progressToken": 7, "progress": 1}
        assert not wire.shortcut.take(Line("2.0", method="notifications/progress", params=token))

    run(scenario)


def test_cancelling_is_told_to_the_server():
    async def scenario(wire):
        asking, sent = await begun(wire)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        cancelled = wire.sent()
        assert cancelled["method"] == "notifications/cancelled"
        assert cancelled["params"]["requestId"] == sent["id"]

    run(scenario)


def test_a_lost_connection_is_told_to_all_who_wait_and_to_those_who_come():
    async def scenario(wire):
        first, _ = await begun(wire)
        wire.shortcut.end("it ended with exit code 1")
        with pytest.raises(Lost, match="exit code 1"):
            await first
        with pytest.raises(Lost, match="exit code 1"):
            await wire.shortcut.ask("tools/call", {})

    run(scenario)


def test_progress_is_asked_for_only_if_somebody_watches():
    async def scenario(wire):
        told = []
        asking, sent = await begun(wire, told=lambda *given: told.append(given))
        token = sent["params"]["_meta"]["progressToken"]
        assert token >= FIRST
        params = {"progressToken": token, "progress": 1, "total": 4, "message": "on it"}
        assert wire.shortcut.take(Line("2.0", method="notifications/progress", params=params))
        wire.shortcut.take(Line("2.0", sent["id"], result={}))
        await asking
        assert told == [(1.0, 4.0, "on it")]

    run(scenario)


def test_what_the_era_wants_along_is_taken_from_the_sdk():
    async def scenario(wire):
        wire.writing.meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
        wire.writing.meta |= {"progressToken": 3, "traceparent": "x"}
        asking, sent = await begun(wire)
        assert sent["params"]["_meta"] == {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
        asking.cancel()

    run(scenario)


def test_any_thread_may_ask():
    async def scenario(wire):
        answers = []

        def elsewhere():
            answers.append(asyncio.run(wire.shortcut.ask("tools/call", {"name": "b"})))

        thread = threading.Thread(target=elsewhere)
        thread.start()
        loop = asyncio.get_running_loop()
        data = await loop.run_in_executor(None, os.read, wire.ours, 1 << 16)
        wire.shortcut.take(Line("2.0", json.loads(data)["id"], result={"from": "here"}))
        await loop.run_in_executor(None, thread.join, 5)
        assert answers == [{"from": "here"}]

    run(scenario)
