"""Every call has exactly one answer, whatever runs it."""

import asyncio
import json

import pytest

from hermes import Agent
from hermes.agent.events import Asked, CallDone, CallStarted, Done, Said, Taken
from hermes.base.errors import HermesError
from hermes.base.messages import ToolCall
from hermes.llm.contract import ModelError, Reply
from hermes.llm.scripted import Scripted, call
from hermes.runtime.approvals import Answer


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


def told(events):
    return [json.loads(event.result) for event in of(CallDone, events)]


class Wrapped:
    """The hands of a runtime, but for how they call."""

    def __init__(self, runtime, call_many):
        self._runtime = runtime
        self.call_many = call_many

    def __getattr__(self, name):
        return getattr(self._runtime, name)


def test_hands_that_break_lose_no_answer_and_do_not_end_the_turn(runtime, play, check):
    async def call_many(calls, task_id=None, **more):
        raise RuntimeError("broken hands")

    model = Scripted([[call("echo", text="a"), call("echo", text="b")], "I see"])
    one = Agent(Wrapped(runtime(), call_many), model, system="")
    events = play(one)
    assert [answer["code"] for answer in told(events)] == ["internal", "internal"]
    assert events[-1] == Done("I see", "answered", rounds=2)
    assert check(one.messages)


def test_hands_that_tell_nothing_until_the_end_are_understood(runtime, play, check):
    rt = runtime()

    async def call_many(calls, task_id=None, **more):
        return await rt.call_many(calls, task_id)

    model = Scripted([[call("echo", text="a"), call("fail")], "done"])
    one = Agent(Wrapped(rt, call_many), model, system="")
    events = play(one)
    assert [event.is_error for event in of(CallDone, events)] == [False, True]
    assert check(one.messages)


def test_results_that_are_too_long_together_are_cut_to_fit(agent, runtime, play):
    rt = runtime(config={"results": {"per_turn_chars": 20_000}})
    calls = [call("echo", text="x" * 15_000), call("echo", text="y" * 15_000)]
    one, model = agent([calls, "done"], rt=rt)
    play(one)
    assert sum(len(m.text) for m in model.requests[1].messages if m.role == "tool") <= 21_000


def test_an_answer_to_a_person_is_told_before_what_came_of_the_call(agent, runtime, play):
    async def approver(request):
        return "deny"

    rt = runtime(approver=approver, profile={"approval_required": ["database:write"]})
    one, _ = agent([call("store", text="x"), "ok"], rt=rt)
    kinds = [type(e) for e in play(one) if isinstance(e, (Asked, CallStarted, CallDone))]
    assert kinds == [CallStarted, Asked, Asked, CallDone]


def test_a_call_that_had_not_begun_is_told_so(agent, runtime, world, check):
    asked = asyncio.Event()

    async def approver(request):
        asked.set()
        await asyncio.Event().wait()

    rt = runtime(approver=approver, profile={"approval_required": ["database:write"]})
    one, _ = agent([[call("echo", text="a"), call("store", text="x")], "I see"], rt=rt)

    async def stop():
        events = []
        async with asyncio.timeout(5):
            async for event in one.run("go"):
                events.append(event)
                if len(of(CallStarted, events)) == 2 and not of(CallDone, events):
                    await asked.wait()
                    one.interrupt()
        return events

    events = asyncio.run(stop())
    assert [answer["hint"].partition(".")[0] for answer in told(events)] == ["Nothing was done"] * 2
    assert world.done == []
    assert check(one.messages)


def test_an_agent_that_is_closed_as_it_begins_tells_its_end(agent):
    one, _ = agent(["never"])

    async def close():
        async def watch():
            return [event async for event in one.run("go")]

        async with asyncio.timeout(5):
            watching = asyncio.create_task(watch())
            closing = asyncio.create_task(one.close())
            await closing
            await one.close()
            return await watching

    assert asyncio.run(close())[-1].ending in ("interrupted", "answered")


def test_an_agent_closes_itself_as_a_context(agent, runtime):
    rt = runtime()
    one, _ = agent(["hi"], rt=rt)

    async def use():
        async with one as same:
            assert same is one
            return await one.ask("hello")

    assert asyncio.run(use()) == "hi"
    assert one.task_id not in rt._tasks


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "echo", "arguments": {"text": "hi"}}\n</tool_call>',
        'I will.\n<tool_call>{"name": "echo", "arguments": {"text": "hi"}}</tool_call>',
        '```json\n{"name": "echo", "arguments": {"text": "hi"}}\n```',
    ],
)
def test_a_call_that_is_written_as_text_is_a_call(agent, play, check, world, text):
    one, _ = agent([text, "done"])
    events = play(one)
    assert world.done == ["hi"]
    assert len(of(Taken, events)) == 1
    assert "tool_call" not in "".join(
        event.text
        for event in events[events.index(of(Taken, events)[0]) :]
        if isinstance(event, Said)
    )
    assert events[-1].text == "done"
    assert check(one.messages)


@pytest.mark.parametrize("text", ["Use `echo` like this: {…}", "a < b [1]", '{"name": "other"}'])
def test_a_text_that_only_looks_like_a_call_is_an_answer(agent, play, world, text):
    one, _ = agent([text])
    assert play(one)[-1] == Done(text, "answered", rounds=1)
    assert world.done == []


def test_a_model_too_small_for_the_tools_is_told_with_what_helps(agent, play):
    one, _ = agent([ModelError("the prompt is too long", trouble="too long")] * 9)
    assert "choose fewer toolsets" in play(one)[-1].error


def test_a_refusal_with_stop_is_the_persons_word_and_not_a_tools(agent, play):
    one, model = agent([call("echo", text='{"code":"denied","stop":true}'), "going on", "x"])
    play(one)
    assert model.requests[1].tool_choice == "auto"


def test_a_stop_counts_only_when_a_person_refused(agent, runtime, play):
    async def approver(request):
        return Answer("deny", "no")

    rt = runtime(approver=approver, profile={"approval_required": ["database:write"]})
    one, model = agent([call("store", text="x"), "fine"], rt=rt)
    play(one)
    assert model.requests[1].tool_choice == "auto"


def test_arguments_stand_in_the_conversation_as_the_model_gave_them(agent, play):
    given = ToolCall("c1", "echo", '{"text": "a",}')
    one, model = agent([Reply(calls=(given,), stop="calls"), "done"])
    play(one)
    assert model.requests[1].messages[2].calls == (given,)


def test_after_answers_of_tools_the_model_always_has_the_next_word(agent, play, check):
    down = ModelError("down", trouble="busy")
    one, model = agent([call("echo", text="a"), down, "fine"])
    play(one, "first", "second")
    roles = [message.role for message in model.requests[-1].messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert "without an answer" in model.requests[-1].messages[4].text
    assert check(one.messages)


def test_a_gate_that_cannot_be_had_ends_the_turn_and_does_not_hang(runtime, play):
    class Gateless(Wrapped):
        @property
        def gate(self):
            raise HermesError("the permissions file cannot be read", hint="Mend it.")

    rt = runtime()
    one = Agent(Gateless(rt, rt.call_many), Scripted(["hi"]), system="")
    done = play(one)[-1]
    assert done == Done("", "failed", "the permissions file cannot be read. Mend it.")


def test_a_turn_that_broke_between_calls_and_answers_is_made_good_by_the_next(
    agent, play, check, monkeypatch
):
    one, model = agent([call("echo", text="a"), "fine"])

    def broken(self, reply):
        raise ZeroDivisionError("a fault of ours")

    with monkeypatch.context() as patch:
        patch.setattr("hermes.agent.questions.Questions.settle", broken)
        assert "ZeroDivisionError" in play(one, "first")[-1].error
    assert play(one, "second")[-1].text == "fine"
    assert check(model.requests[-1].messages)
