import asyncio
import random

import pytest

from hermes.agent.compaction import Aid, Room, compact, groups
from hermes.agent.events import Noted
from hermes.agent.facts import facts_of, kept_with
from hermes.agent.validity import mend
from hermes.base.messages import Media, Message, ToolCall
from hermes.llm.contract import ModelError, Reply, Usage
from hermes.llm.counting import tokens_of
from hermes.llm.scripted import Scripted, call
from hermes.runtime.declare import entry_of
from hermes.tools.file import patch, read_file, write_file

USUAL = Room(4_000, 1_500)
SUMMARY = "## Goals\nShip it.\n## Decisions\nUse SQLite.\n## Next\nTests."


def find(name):
    return TOOLS.get(name)


def tools():
    made = {}
    for module, options in (
        (read_file, {"effects": "read", "subjects": {"path": "path:read"}}),
        (write_file, {"effects": "write", "subjects": {"path": "path:write"}}),
        (patch, {"effects": "write", "subjects": {"path": "path:write", "patch": "patch"}}),
    ):
        name = module.__name__.rpartition(".")[2]
        made[name] = entry_of(getattr(module, name), **options)
    return made


TOOLS = tools()


def aid(steps, *, window=32_000, todos=""):
    return Aid(Scripted(steps, window=window), find, lambda: todos)


def made(messages, steps=(SUMMARY,), room=USUAL, **more):
    helper = aid(list(steps), **more)
    return asyncio.run(compact(messages, room, helper)), helper.model


def work(number, *, answer="ok " * 200):
    """A few messages as they come in real work: look, change, run, answer."""
    ids = [f"r{number}", f"w{number}", f"t{number}"]
    return [
        Message("user", f"Task {number}: fix the bug in module {number}, keep the tests green."),
        Message(
            "assistant",
            f"I look at module {number}.",
            calls=(
                ToolCall(ids[0], "read_file", {"path": f"src/m{number}.py"}),
                ToolCall(ids[2], "terminal", {"command": f"pytest tests/test_m{number}.py"}),
            ),
            reasoning="thinking",
        ),
        Message("tool", f'{{"content":"{answer}"}}', call_id=ids[0], name="read_file"),
        Message("tool", f'{{"output":"{answer}","exit_code":1}}', call_id=ids[2], name="terminal"),
        Message(
            "assistant",
            calls=(
                ToolCall(ids[1], "write_file", f'{{"path": "src/m{number}.py", "content": "x"}}'),
            ),
        ),
        Message("tool", '{"bytes_written":1}', call_id=ids[1], name="write_file"),
        Message("assistant", f"Module {number} is fixed: the index was off by one."),
    ]


def long_work(count, **more):
    return [message for number in range(count) for message in work(number, **more)]


def random_work(seed, count):
    chance = random.Random(seed)
    found = []
    for number in range(count):
        kind = chance.random()
        if kind < 0.3:
            found.append(Message("user", f"u{number} " * chance.randrange(1, 400)))
        elif kind < 0.5:
            found.append(Message("assistant", f"a{number} " * chance.randrange(1, 300)))
        else:
            calls = tuple(
                ToolCall(f"c{number}-{n}", "read_file", {"path": f"f{number}-{n}"})
                for n in range(chance.randrange(1, 6))
            )
            found.append(Message("assistant", calls=calls))
            for one in calls:
                text = '{"content":"' + "y" * chance.randrange(0, 9_000) + '"}'
                found.append(Message("tool", text, call_id=one.id, name=one.name))
    return found


def test_calls_and_their_answers_are_one_piece():
    pieces = groups(work(1))
    assert [len(piece) for piece in pieces] == [1, 3, 2, 1]


@pytest.mark.proves("agent-compaction")
def test_a_long_conversation_becomes_a_summary_and_its_latest_part(check):
    messages = long_work(40)
    found, model = made(messages, todos="- [ ] write the changelog")
    summary, *latest = found.messages
    assert found.by_model
    assert found.summed_up + len(latest) == len(messages)
    assert tuple(latest) == tuple(messages[-len(latest) :])
    assert check(found.messages)
    assert sum(map(tokens_of, found.messages)) < 5_000
    for expected in (SUMMARY, "write the changelog", "src/m30.py", "Task 0: fix", "Task 36"):
        assert expected in summary.text
    assert len(model.requests) == 1
    assert model.requests[0].definitions == ()
    assert tokens_of(model.requests[0].messages) < model.window


@pytest.mark.proves("agent-compaction")
@pytest.mark.parametrize("seed", range(30))
def test_no_call_is_ever_parted_from_its_answer(seed, check):
    messages = random_work(seed, 80)
    found, _ = made(messages, room=Room(2_000 + 500 * (seed % 7), 400 * (seed % 5)))
    assert check(found.messages)
    assert list(found.messages) == mend(found.messages)
    assert sum(map(tokens_of, found.messages)) < sum(map(tokens_of, messages))


@pytest.mark.proves("agent-compaction")
@pytest.mark.parametrize("steps", [[SUMMARY], [ModelError("down", trouble="busy")]])
def test_compacting_again_and_again_keeps_the_first_goal_and_the_files(steps, check):
    messages = [Message("user", "The goal: port everything to Rust. Never touch vendor/.")]
    for life in range(12):
        messages += long_work(8) if life % 2 else random_work(life, 30)
        found, _ = made(messages, steps)
        messages = list(found.messages)
        assert check(messages)
        assert sum(map(tokens_of, messages)) < 9_000
    assert "port everything to Rust" in messages[0].text
    assert "src/m7.py" in kept_with(messages[0]).changed
    assert sum(kept_with(message) is not None for message in messages) == 1


@pytest.mark.parametrize(
    "step",
    [
        ModelError("too long", trouble="too long"),
        ValueError("garbage"),
        "",
        "short",
        "I am only a small model and can list files or search in them, if that helps you.",
        Reply("", calls=(call("read_file", path="x"),)),
    ],
)
def test_a_model_that_cannot_sum_up_costs_only_its_summary(step, check):
    found, _ = made(long_work(30), [step], todos="- [ ] left over")
    assert not found.by_model
    assert check(found.messages)
    for expected in ("Task 0", "off by one", "src/m20.py", "left over"):
        assert expected in found.messages[0].text


def test_the_task_in_hand_is_kept_in_full_though_it_is_long_ago():
    task = "Do this: " + "step and detail, " * 300
    messages = [Message("user", "before"), Message("user", task)]
    messages += [m for m in random_work(5, 200) if m.role != "user"]
    found, _ = made(messages, room=Room(12_000, 1_500))
    assert task.strip() in found.messages[0].text


def test_one_huge_answer_at_the_end_is_cut_and_not_dropped(check):
    last = [
        Message("user", "read it"),
        Message("assistant", calls=(ToolCall("a", "read_file", {"path": "big"}),)),
        Message("tool", '{"content":"' + "z" * 400_000 + '"}', call_id="a", name="read_file"),
    ]
    found, _ = made(last, room=Room(3_000, 1_000))
    assert check(found.messages)
    assert sum(map(tokens_of, found.messages)) < 3_000
    assert found.messages[-1].call_id == "a"
    assert "cut to make room" in found.messages[-1].text


def test_images_are_given_up_before_the_conversation_is():
    picture = Media("image", "image/png", "x" * 1_000)
    messages = []
    for number in range(8):
        messages.append(Message("assistant", calls=(ToolCall(f"{number}", "look", {}),)))
        messages.append(Message("tool", "{}", media=(picture,), call_id=f"{number}", name="look"))
    found, _ = made(messages, room=Room(3_000, 9_000))
    assert sum(len(message.media) for message in found.messages) < 3


def test_a_file_counts_as_changed_only_when_the_call_succeeded():
    diff = "--- a/one.py\n+++ b/one.py\n@@\n-x\n+y\n"
    messages = [
        Message(
            "assistant",
            calls=(
                ToolCall("1", "write_file", {"path": "good.py"}),
                ToolCall("2", "write_file", {"path": "bad.py"}),
                ToolCall("3", "patch", {"mode": "patch", "patch": diff}),
                ToolCall("4", "read_file", '{"path": "seen.py"}'),
                ToolCall("5", "gone_tool", {"path": "x"}),
                ToolCall("6", "read_file", "not json"),
            ),
        ),
        Message("tool", "{}", call_id="1"),
        Message("tool", '{"error":"no"}', call_id="2"),
        *[Message("tool", "{}", call_id=str(n)) for n in range(3, 7)],
    ]
    facts = facts_of(messages, find)
    assert facts.changed == ("good.py", "one.py")
    assert facts.read == ("seen.py",)


@pytest.mark.proves("agent-compaction")
def test_the_loop_compacts_before_the_window_is_full_and_goes_on(agent, play, check):
    asked = []

    def answer(request):
        if request.messages[0].text.startswith("You write the handover"):
            return SUMMARY
        asked.append(request)
        number = len(asked)
        return call("echo", text=f"{number} " * 700) if number < 60 else "all read"

    one, _ = agent([])
    one.model = Scripted(answer, window=16_000)
    events = play(one, "Read everything, then say 'all read'.")
    assert events[-1].text == "all read"
    assert len([e for e in events if isinstance(e, Noted) and "summary" in e.text]) >= 2
    assert all(tokens_of(request.messages) < 16_000 for request in asked)
    assert all(check(request.messages) for request in asked)
    assert all(request.messages[0] == one.messages[0] for request in asked)
    assert "Read everything" in one.messages[1].text


def test_what_a_summary_costs_is_counted(agent, play):
    def answer(request):
        if request.messages[0].text.startswith("You write the handover"):
            return Reply(SUMMARY, usage=Usage(1_000, 50))
        return "fine"

    one, _ = agent([], earlier=long_work(60))
    one.model = Scripted(answer, window=16_000)
    play(one)
    assert one.usage.input == 1_000


def test_a_window_that_nobody_knows_is_not_guarded(agent, play):
    one, model = agent(["fine"], earlier=long_work(200), window=0)
    play(one)
    assert len(model.requests) == 1


def test_a_conversation_that_cannot_be_made_short_is_not_compacted_every_round(agent, play):
    one, _ = agent([], system="word " * 12_000)
    count = []

    def answer(request):
        if request.messages[0].text.startswith("You write the handover"):
            count.append(1)
            return SUMMARY
        return call("count") if len(request.messages) < 30 else "done"

    one.model = Scripted(answer, window=14_000)
    assert play(one)[-1].text == "done"
    assert len(count) <= 3
