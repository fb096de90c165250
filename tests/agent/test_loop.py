import asyncio
import gc
import json

import pytest

from hermes.agent.events import (
    Asked,
    CallDone,
    CallProgress,
    CallStarted,
    Done,
    Noted,
    Said,
    Spent,
    Thought,
    as_json,
)
from hermes.agent.options import AgentOptions
from hermes.base.errors import HermesError
from hermes.base.messages import Media, Message, ToolCall
from hermes.llm.contract import Reply, Usage
from hermes.llm.scripted import Scripted, call


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


class Recorder:
    def __init__(self):
        self.messages = []

    def add(self, message, **about):
        self.messages.append(message)


def test_an_answer_without_calls_ends_the_turn(agent, play):
    one, model = agent([Reply("hello there", "hmm", usage=Usage(10, 2))])
    events = play(one, "hi")
    assert "".join(event.text for event in of(Said, events)) == "hello there"
    assert "".join(event.text for event in of(Thought, events)) == "hmm"
    assert events[-1] == Done("hello there", "answered", rounds=1)
    assert [message.role for message in one.messages] == ["system", "user", "assistant"]
    assert model.requests[0].messages == one.messages[:2]


def test_calls_run_and_the_model_reads_their_answers(agent, play, check):
    one, model = agent([[call("echo", text="a"), call("echo", text="b")], "both done"])
    events = play(one)
    assert [(e.name, e.args) for e in of(CallStarted, events)] == [
        ("echo", {"text": "a"}),
        ("echo", {"text": "b"}),
    ]
    results = {event.id: json.loads(event.result) for event in of(CallDone, events)}
    assert list(results.values()) == [{"result": "a"}, {"result": "b"}]
    assert [m.text for m in model.requests[1].messages if m.role == "tool"] == [
        '{"result":"a"}',
        '{"result":"b"}',
    ]
    assert events[-1] == Done("both done", "answered", rounds=2)
    assert check(one.messages)


def test_every_event_can_be_printed_as_one_json_line(agent, play):
    one, _ = agent([call("echo", text="a"), "done"])
    lines = [json.dumps(as_json(event)) for event in play(one)]
    assert [json.loads(line)["type"] for line in lines][-1] == "done"


def test_a_call_is_answered_before_a_slower_one_of_the_same_message(agent, world):
    one, _ = agent([[call("wait", who="slow"), call("echo", text="quick")], "done"])

    async def watch():
        order = []
        async with asyncio.timeout(5):
            async for event in one.run("go"):
                if isinstance(event, CallDone):
                    order.append(json.loads(event.result)["result"])
                    world.release.set()
        return order

    assert asyncio.run(watch()) == ["quick", "slow"]


def test_usage_adds_up_and_the_context_is_told(agent, play):
    one, _ = agent(
        [
            Reply(calls=(call("echo", text="a"),), stop="calls", usage=Usage(100, 10, dollars=0.5)),
            Reply("done", usage=Usage(120, 5, dollars=0.25)),
        ]
    )
    spent = of(Spent, play(one))
    assert [event.total for event in spent] == [
        Usage(100, 10, dollars=0.5),
        Usage(220, 15, dollars=0.75),
    ]
    assert [event.context for event in spent] == [110, 125]
    assert one.usage == Usage(220, 15, dollars=0.75)


def test_a_tool_that_does_not_exist_is_an_answer(agent, play, check):
    one, model = agent([call("ecco", text="a"), "sorry"])
    events = play(one)
    told = json.loads(of(CallDone, events)[0].result)
    assert told["code"] == "unknown_tool"
    assert "echo" in told["hint"]
    assert events[-1].ending == "answered"
    assert check(model.requests[-1].messages)


@pytest.mark.parametrize(
    "calls",
    [
        [ToolCall("x", "echo", {"text": "1"}), ToolCall("x", "echo", {"text": "2"})],
        [ToolCall("", "echo", '{"text": "1"}'), ToolCall("", "echo", '{"text": "2"')],
        [ToolCall("a", "", {}), ToolCall("b", "no such <name>", "not json")],
        [ToolCall(None, None, None)],
        [ToolCall("a", "echo", ["text"]), ToolCall("b", "echo", 7)],
    ],
)
def test_whatever_calls_a_model_makes_each_gets_one_answer(agent, play, check, calls):
    one, model = agent([Reply(calls=tuple(calls), stop="calls"), "done"])
    events = play(one)
    assert len(of(CallDone, events)) == len(calls)
    assert events[-1].ending == "answered"
    asked = model.requests[-1].messages
    assert check(asked)
    names = [each.name for message in asked for each in message.calls]
    assert all(name.replace("_", "").replace("-", "").isalnum() for name in names)


def test_ids_that_a_model_uses_again_are_told_apart(agent, play, check):
    same = ToolCall("call_1", "echo", {"text": "a"})
    one, model = agent([Reply(calls=(same,)), Reply(calls=(same._replace(name="count"),)), "end"])
    play(one)
    ids = [each.id for message in model.requests[-1].messages for each in message.calls]
    assert len(set(ids)) == 2
    assert check(one.messages)


def test_progress_of_a_call_reaches_its_own_agent_only(agent, runtime, world):
    rt = runtime()
    heard_before = []
    rt.services.on_progress = lambda ctx, text: heard_before.append(text)
    first, _ = agent([call("wait", who="first"), "done"], rt=rt)
    second, _ = agent([call("wait", who="second"), "done"], rt=rt)

    async def follow(one):
        found = []
        async for event in one.run("go"):
            if isinstance(event, CallProgress):
                found.append((event.name, event.text))
        return found

    async def both():
        async with asyncio.timeout(5):
            jobs = [asyncio.create_task(follow(one)) for one in (first, second)]
            while len(heard_before) < 2:
                await asyncio.sleep(0)
            world.release.set()
            return await asyncio.gather(*jobs)

    assert asyncio.run(both()) == [[("wait", "first waits")], [("wait", "second waits")]]
    assert sorted(heard_before) == ["first waits", "second waits"]


def test_questions_to_a_person_are_told_with_their_answers(agent, runtime, world):
    asked = []

    async def approver(request):
        asked.append(request.user_task)
        return "once" if request.arguments["text"] == "good" else "deny"

    rt = runtime(
        approver=approver,
        profile={"allow": [], "approval_required": ["database:write"]},
    )
    one, model = agent([[call("store", text="good"), call("store", text="bad")], "done"], rt=rt)
    events = asyncio.run(_all(one, "keep it"))
    told = [(event.name, event.answer) for event in of(Asked, events)]
    assert told == [("store", None), ("store", "once"), ("store", None), ("store", "deny")]
    assert world.done == ["good"]
    assert asked == ["keep it", "keep it"]
    denied = json.loads(model.requests[1].messages[-1].text)
    assert denied["code"] == "denied"


async def _all(one, text="go"):
    async with asyncio.timeout(5):
        return [event async for event in one.run(text)]


def test_a_person_who_says_stop_gets_an_answer_and_no_more_calls(agent, runtime, play):
    from hermes.runtime.approvals import Answer

    async def approver(request):
        return Answer("deny", "enough", stop=True)

    rt = runtime(approver=approver, profile={"approval_required": ["database:write"]})
    one, model = agent([call("store", text="x"), "what now?"], rt=rt)
    events = play(one)
    assert model.requests[1].tool_choice == "none"
    assert events[-1] == Done("what now?", "answered", rounds=2)


@pytest.mark.proves("agent-apart")
def test_two_agents_of_one_runtime_share_nothing(agent, runtime):
    rt = runtime()
    first, one = agent([call("echo", text="1"), "first"], rt=rt)
    second, two = agent([call("echo", text="2"), "second"], rt=rt)

    async def both():
        return await asyncio.gather(_all(first, "a"), _all(second, "b"))

    asyncio.run(both())
    assert first.task_id != second.task_id
    assert "b" not in [message.text for request in one.requests for message in request.messages]
    assert "a" not in [message.text for request in two.requests for message in request.messages]
    assert first.messages[-1].text == "first"
    assert second.messages[-1].text == "second"
    assert first.budget is not second.budget


def test_messages_are_recorded_before_the_next_step(agent, play):
    recorder = Recorder()
    seen = []

    def note(request):
        seen.append([message.role for message in recorder.messages])
        return call("echo", text="a") if len(seen) == 1 else "done"

    one, _ = agent([note, note], session=recorder)
    play(one, "hi")
    assert seen == [["user"], ["user", "assistant", "tool"]]
    assert recorder.messages == list(one.messages[1:])


def test_a_result_is_recorded_before_it_is_told(agent):
    recorder = Recorder()
    one, _ = agent([call("echo", text="a"), "done"], session=recorder)

    async def watch():
        async for event in one.run("go"):
            if isinstance(event, CallDone):
                return [m.call_id for m in recorder.messages if m.role == "tool"] == [event.id]
        return False

    assert asyncio.run(watch())


def test_a_session_that_cannot_be_written_ends_the_turn_with_a_valid_conversation(
    agent, play, check
):
    class Full(Recorder):
        def add(self, message, **about):
            if message.role == "tool":
                raise HermesError("the disk is full", hint="Make room.")
            super().add(message)

    one, _ = agent([call("echo", text="a"), "done"], session=Full())
    events = play(one)
    assert events[-1] == Done("", "failed", "the disk is full. Make room.", rounds=1)
    assert check(one.messages)


def test_an_earlier_conversation_is_gone_on_with_and_mended(agent, play, check):
    earlier = [
        Message("user", "before"),
        Message("assistant", calls=(ToolCall("a", "echo", {}), ToolCall("b", "echo", {}))),
        Message("tool", '{"result":1}', call_id="b", name="echo"),
    ]
    one, model = agent(["fine"], earlier=earlier)
    play(one, "and now?")
    asked = model.requests[0].messages
    assert check(asked)
    assert "may have been done" in asked[3].text
    assert asked[4].text == '{"result":1}'


def test_what_a_person_says_twice_in_a_row_is_sent_as_one(agent, play):
    from hermes.llm.contract import ModelError

    one, model = agent([ModelError("down", trouble="busy"), "fine"])
    assert play(one, "first")[-1].ending == "failed"
    play(one, "second")
    assert [m.text for m in model.requests[1].messages if m.role == "user"] == ["first\n\nsecond"]
    assert len(one.messages) == 4


def test_images_that_a_person_gives_are_sent(agent):
    one, model = agent(["a cat"])
    picture = Media("image", "image/png", "aGk=")
    asyncio.run(one.ask("what is it?", [picture]))
    assert model.requests[0].messages[-1].media == (picture,)


def test_ask_gives_the_answer_alone_or_raises_why_there_is_none(agent):
    from hermes.llm.contract import ModelError

    one, _ = agent(["42", ModelError("no key", trouble="key")])

    async def asks():
        assert await one.ask("?") == "42"
        await one.ask("?")

    with pytest.raises(HermesError, match="no key"):
        asyncio.run(asks())


def test_one_agent_runs_one_turn_at_a_time(agent, world):
    one, _ = agent([call("wait", who="a"), "done"])

    async def twice():
        stream = one.run("first")
        await anext(stream)
        with pytest.raises(HermesError, match="middle of a turn"):
            await anext(one.run("second"))
        world.release.set()
        return [event async for event in stream][-1]

    assert asyncio.run(twice()).ending == "answered"


def test_a_turn_that_nobody_watches_any_more_makes_way(agent, world, check):
    one, _ = agent([call("wait", who="a"), "fresh"])

    async def leave():
        async for event in one.run("first"):
            if isinstance(event, CallStarted):
                break
        gc.collect()
        return (await _all(one, "second"))[-1]

    assert asyncio.run(leave()).text == "fresh"
    assert check(one.messages)
    assert world.cancelled in (["a"], [])


def test_closing_an_agent_ends_its_task_and_only_a_model_that_is_its_own(agent, runtime):
    class Counted(Scripted):
        closed = 0

        async def close(self):
            self.closed += 1

    from hermes import Agent

    rt = runtime()
    ended = []
    rt.end_task = ended.append
    given, own = Counted([]), Counted([])

    async def close():
        first = Agent(rt, given, task_id="one", system="")
        second = Agent(rt, own, task_id="two", system="", options=AgentOptions(closes_model=True))
        await first.close()
        await second.close()

    asyncio.run(close())
    assert (given.closed, own.closed) == (0, 1)
    assert ended == ["one", "two"]


def test_an_answer_that_was_cut_by_a_limit_is_told(agent, play):
    one, _ = agent([Reply("half an answ", stop="length")])
    assert "limit of tokens" in of(Noted, play(one))[0].text
