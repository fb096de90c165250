import asyncio
import contextlib
import json
import threading

import pytest

from hermes.agent.events import CallDone, CallStarted, Done, Said
from hermes.llm.contract import TextPiece
from hermes.llm.scripted import call


def run(coroutine):
    async def bounded():
        async with asyncio.timeout(10):
            return await coroutine

    return asyncio.run(bounded())


async def watch(agent, when, world):
    """Run a turn, interrupt when told to, and return the events."""
    events = []
    async for event in agent.run("go"):
        events.append(event)
        if when(event):
            await world.started.wait()
            agent.interrupt()
    return events


@pytest.mark.proves("agent-interrupt")
def test_the_first_interrupt_stops_the_tools_and_the_model_reads_so(agent, world, check):
    one, model = agent([[call("echo", text="quick"), call("wait", who="slow")], "I see"])

    def when(event):
        return isinstance(event, CallDone) and event.name == "echo"

    events = run(watch(one, when, world))
    assert world.cancelled == ["slow"]
    answers = [m for m in model.requests[1].messages if m.role == "tool"]
    assert json.loads(answers[0].text) == {"result": "quick"}
    told = json.loads(answers[1].text)
    assert told["code"] == "interrupted"
    assert "the user stopped this call" in told["error"]
    assert events[-1] == Done("I see", "answered", rounds=2)
    assert check(one.messages)


@pytest.mark.proves("agent-interrupt")
def test_the_second_interrupt_ends_the_turn_with_a_valid_conversation(agent, world, check):
    one, model = agent([[call("wait", who="a"), call("stubborn")], "never"])

    async def twice():
        events = []
        async for event in one.run("go"):
            events.append(event)
            if isinstance(event, CallStarted) and event.name == "stubborn":
                await world.started.wait()
                one.interrupt()
                one.interrupt()
        world.release.set()
        return events

    events = run(twice())
    assert events[-1].ending == "interrupted"
    assert len(model.requests) == 1
    assert check(one.messages)
    assert one.messages[-1].text == "[stopped by the user]"
    assert [e.is_error for e in events if isinstance(e, CallDone)] == [True, True]


class Endless:
    """A model that speaks until it is cancelled."""

    name, window = "test:endless", 0

    def __init__(self):
        self.cancelled = False

    async def ask(self, request):
        try:
            yield TextPiece("once upon ")
            yield TextPiece("a time")
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise

    async def close(self):
        pass


def test_an_interrupt_while_the_model_speaks_keeps_what_it_said(agent, check):
    one, _ = agent([])
    one.model = model = Endless()

    async def stop():
        events = []
        async for event in one.run("tell me"):
            events.append(event)
            if isinstance(event, Said) and "time" in event.text:
                one.interrupt()
        return events

    events = run(stop())
    assert events[-1] == Done("once upon a time", "interrupted", rounds=1)
    assert one.messages[-1].text == "once upon a time [stopped by the user]"
    assert model.cancelled
    assert check(one.messages)


def test_an_interrupt_may_come_from_another_thread(agent):
    one, _ = agent([])
    one.model = Endless()

    async def stop():
        async for event in one.run("tell me"):
            if isinstance(event, Said) and "time" in event.text:
                threading.Thread(target=one.interrupt).start()
        return event

    assert run(stop()).ending == "interrupted"


def test_an_interrupt_with_no_turn_does_nothing(agent, play):
    one, _ = agent(["fine"])
    one.interrupt()
    assert play(one)[-1].ending == "answered"
    one.interrupt()


def test_an_interrupt_while_a_person_is_asked_takes_the_question_back(agent, runtime, world, check):
    asked = asyncio.Event()

    async def approver(request):
        asked.set()
        await asyncio.Event().wait()

    rt = runtime(approver=approver, profile={"approval_required": ["database:write"]})
    one, _ = agent([call("store", text="x"), "I see"], rt=rt)

    async def stop():
        events = []
        async for event in one.run("go"):
            events.append(event)
            if isinstance(event, CallStarted):
                await asked.wait()
                one.interrupt()
        return events

    events = run(stop())
    assert events[-1] == Done("I see", "answered", rounds=2)
    assert world.done == []
    assert check(one.messages)


def test_closing_the_stream_ends_the_turn_with_a_valid_conversation(agent, world, check):
    one, _ = agent([call("wait", who="a"), "again"])

    async def close():
        async with contextlib.aclosing(one.run("go")) as stream:
            async for event in stream:
                if isinstance(event, CallStarted):
                    await world.started.wait()
                    break
        first = one.messages
        world.release.set()
        events = [event async for event in one.run("and now")]
        return first, events[-1]

    messages, done = run(close())
    assert check(messages)
    assert world.cancelled == ["a"]
    assert done.text == "again"


def test_cancelling_whoever_waits_ends_the_turn_with_a_valid_conversation(agent, world, check):
    one, _ = agent([call("wait", who="a"), "again"])

    async def cancel():
        waiting = asyncio.create_task(one.ask("go"))
        await world.started.wait()
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await waiting
        assert waiting.cancelled()
        return one.messages

    assert check(run(cancel()))
    assert world.cancelled == ["a"]


def test_a_tool_that_takes_no_notice_of_its_end_does_not_hold_up_the_turn(
    agent, world, check, monkeypatch
):
    monkeypatch.setattr("hermes.agent.calling._GRACE_SECONDS", 0.05)
    one, model = agent([call("stubborn"), "going on"])

    async def stop():
        events = []
        async for event in one.run("go"):
            events.append(event)
            if isinstance(event, CallStarted):
                await world.started.wait()
                one.interrupt()
        world.release.set()
        await asyncio.sleep(0)
        return events

    events = run(stop())
    assert events[-1].text == "going on"
    assert check(one.messages)
    assert json.loads(model.requests[1].messages[-1].text)["code"] == "interrupted"


@pytest.mark.parametrize("after", range(12))
def test_wherever_a_turn_is_cut_the_conversation_is_valid(agent, check, after):
    one, _ = agent([[call("echo", text="a"), call("count")], call("count"), "all done now"])

    async def cut():
        async with contextlib.aclosing(one.run("go")) as stream:
            for _ in range(after):
                if await anext(stream, None) is None:
                    break
        assert check(one.messages)

    run(cut())
