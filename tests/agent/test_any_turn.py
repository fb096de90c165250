"""Whatever a model does and whenever a person interrupts, what is promised of a turn holds."""

import asyncio
import contextlib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes import Agent, Runtime
from hermes.agent.events import CallDone, CallStarted, Done
from hermes.agent.options import AgentOptions
from hermes.base.messages import Message, ToolCall
from hermes.llm.contract import ModelError, Reply, Usage
from hermes.llm.counting import tokens_of
from hermes.llm.scripted import Scripted, Step
from hermes.runtime.declare import entry_of
from hermes.runtime.registry import ToolRegistry

TROUBLES = ("refused", "busy", "cut", "unreadable", "too long", "unreachable")
NAMES = st.sampled_from(["echo", "boom", "nap", "missing", "", None])
ARGUMENTS = st.sampled_from([{}, {"text": "a"}, '{"text": "b"}', "{broken", None, [1]])
CALLS = st.tuples(st.sampled_from(["", "a", "b", None]), NAMES, ARGUMENTS)
REPLIES = st.tuples(
    st.sampled_from(["", "text", "more text here"]), st.lists(CALLS, max_size=3), st.integers(0, 99)
).map(
    lambda parts: Reply(
        parts[0], calls=tuple(ToolCall(*one) for one in parts[1]), usage=Usage(parts[2], parts[2])
    )
)
STEPS = st.one_of(
    REPLIES,
    REPLIES,
    REPLIES.map(lambda reply: Step(reply, fault="ended")),
    REPLIES.map(lambda reply: Step(reply, fault="retried")),
    st.sampled_from(TROUBLES).map(lambda trouble: ModelError("no", trouble=trouble)),
    st.sampled_from([ValueError("html"), KeyError("choices"), "just text"]),
)


class Recorder:
    def __init__(self):
        self.messages = []

    def add(self, message, **about):
        self.messages.append(message)

    def compacted(self, summary, *, keep_last=0):
        self.messages.append(summary)


def echo(text: str) -> str:
    """Return a text."""
    return text


def boom() -> str:
    """Break."""
    raise RuntimeError("boom")


async def nap() -> str:
    """Give way a few times."""
    for _ in range(5):
        await asyncio.sleep(0)
    return "rested"


@pytest.fixture
def hands(tmp_path):
    registry = ToolRegistry()
    for handler in (echo, boom, nap):
        registry.add(entry_of(handler, effects="read"))
    with Runtime(registry=registry, cwd=tmp_path) as runtime:
        yield runtime


async def live(agent, interrupts, leave):
    """Run three turns; interrupt or leave after so many events. Return the events of each."""
    seen = 0
    turns = []
    for _ in range(3):
        events = []
        async with contextlib.aclosing(agent.run("go")) as stream:
            async for event in stream:
                events.append(event)
                seen += 1
                if seen in interrupts:
                    agent.interrupt()
                if seen == leave:
                    break
        turns.append(events)
    return turns


@pytest.mark.proves("agent-valid")
@pytest.mark.proves("agent-faults")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    steps=st.lists(STEPS, max_size=12),
    interrupts=st.sets(st.integers(1, 40), max_size=4),
    leave=st.one_of(st.none(), st.integers(1, 30)),
    rounds=st.integers(0, 6),
)
def test_any_turn_ends_and_leaves_a_valid_conversation(
    hands, check, steps, interrupts, leave, rounds
):
    model = Scripted(steps)
    recorder = Recorder()
    options = AgentOptions(rounds=rounds)
    agent = Agent(hands, model, system="test", session=recorder, options=options)

    async def bounded():
        async with asyncio.timeout(20):
            return await live(agent, interrupts, leave)

    turns = asyncio.run(bounded())
    assert check(agent.messages)
    assert all(check(request.messages) for request in model.requests)
    for events in turns:
        ends = [event for event in events if isinstance(event, Done)]
        assert ends == events[-1:] or (not ends and leave)
        if ends:
            started = Counter(event.id for event in events if isinstance(event, CallStarted))
            answered = Counter(event.id for event in events if isinstance(event, CallDone))
            assert started == answered
            assert set(started.values()) <= {1}
            assert ends[0].ending != "failed" or ends[0].error
    kept = {(one.role, one.call_id or one.text) for one in recorder.messages}
    assert all((one.role, one.call_id or one.text) in kept for one in agent.messages[1:])


def source_files():
    root = Path(__file__).parents[2] / "src" / "hermes"
    return sorted(root.rglob("*.py"))[:240]


@pytest.mark.proves("agent-compaction")
def test_a_long_day_of_reading_real_files_stays_within_the_window(hands, check):
    """Three hundred rounds with the answers that a reader of this very source would get."""
    files = source_files()
    asked = []
    goal = "Find every module that opens a socket; keep a list; do not change anything."

    def answer(request):
        if request.messages[0].text.startswith("You write the handover"):
            assert tokens_of(request.messages) < 32_000
            return "## Goals\nFind modules that open sockets.\n## Next\nRead the rest."
        asked.append(request)
        assert tokens_of(request.messages) + tokens_of(list(request.definitions)) < 32_000
        number = len(asked)
        if number > 300:
            return "That was all."
        text = files[number % len(files)].read_text(encoding="utf-8")[: 1_000 * (number % 13)]
        return [ToolCall("", "echo", {"text": f"{number}: {text}"}), ToolCall("", "nap", {})]

    model = Scripted(answer, window=32_000)
    agent = Agent(hands, model, system="test", options=AgentOptions(rounds=0))

    async def day():
        async with asyncio.timeout(50):
            return [event async for event in agent.run(goal)][-1]

    assert asyncio.run(day()).text == "That was all."
    assert all(check(request.messages) for request in asked)
    assert all(any(goal in message.text for message in request.messages) for request in asked)
    assert sum(message.role == "user" for message in asked[-1].messages) <= 2


def test_a_conversation_in_many_turns_keeps_what_was_agreed_first(hands):
    def answer(request):
        if request.messages[0].text.startswith("You write the handover"):
            raise ModelError("down", trouble="busy")
        return "word " * 400

    agent = Agent(hands, Scripted(answer, window=12_000), system="test")

    async def talk():
        await agent.ask("Always answer in French. My name is Ada.")
        for number in range(80):
            await agent.ask(f"Question {number}: " + "why " * 50)
        return agent.messages

    messages = asyncio.run(talk())
    assert any("Always answer in French" in message.text for message in messages)
    assert isinstance(messages[1], Message)
    assert tokens_of(messages) < 12_000
