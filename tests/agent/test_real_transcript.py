"""A transcript of real work, recorded from the loop over real files, can be made short."""

import asyncio
import struct
import warnings
import zlib
from itertools import pairwise

import pytest
from tests.llm.conftest import ADAPTERS, NAMES

from hermes import Agent, Runtime
from hermes.agent.compaction import Aid, Room, compact
from hermes.agent.events import Noted
from hermes.agent.facts import kept_with
from hermes.agent.options import AgentOptions
from hermes.llm.catalog import look_up
from hermes.llm.contract import Request
from hermes.llm.counting import tokens_of
from hermes.llm.scripted import Scripted, call

TASKS = (
    "Read every module of shop/ and never touch shop/legal.py.",
    "Now raise each RATE to 7, and note what you did in CHANGES.md.",
    "Look for leftovers in the log and in the pictures.",
    "Clean up, and keep the number 4711 in mind: it is the ticket.",
)
ROUNDS = 17
SUMMARY = "## Goals\nRaise the rates.\n## Decisions\nOne by one.\n## Next\nGo on."
ROOMS = [Room(30_000, 12_000), Room(8_000, 3_000), Room(2_500, 600)]


def picture():
    """Return a small PNG."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + bytes(24) for _ in range(8)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def make_shop(folder):
    """Write a project with modules, a huge log and pictures."""
    (folder / "shop").mkdir()
    for number in range(ROUNDS):
        text = f"RATE = {number + 10}\n\n\ndef price_{number}(net):\n    return net * RATE\n"
        (folder / f"shop/module_{number}.py").write_text(text + "# note\n" * 40)
        (folder / f"shop/picture_{number}.png").write_bytes(picture())
    (folder / "shop/legal.py").write_text("LAW = 1\n")
    lines = (f"2026-01-01 request {n} took {n % 97} ms {'x' * 60}\n" for n in range(30_000))
    (folder / "app.log").write_text("".join(lines))
    return folder


def reading(number):
    if number % 5 == 4:
        return call("read_file", path=f"shop/missing_{number}.py")
    return call("read_file", path=f"shop/module_{number}.py")


def changing(number):
    if number % 6 == 5:
        return call("write_file", path="CHANGES.md", content=f"- {number}\n", mode="append")
    return call(
        "patch",
        path=f"shop/module_{number}.py",
        old_string=f"RATE = {number + 10}\n" if number % 4 else "not there",
        new_string="RATE = 7\n",
    )


def looking(number):
    if number % 3 == 0:
        return call("read_file", path=f"shop/picture_{number}.png")
    if number % 3 == 1:
        return call("read_file", path="app.log", offset=number * 900 + 1, limit=900)
    return call("search_files", pattern=f"request {number}.*9. ms", limit=200)


def cleaning(number):
    if number % 4 == 0:
        return call("no_such_tool", text="hello")
    if number % 4 == 1:
        return call("directory_list", path="shop", depth=2, limit=20 + number)
    if number % 4 == 2:
        return call("system_info", sections=["os" if number % 8 == 2 else "cpu"])
    return call("search_files", pattern=f"price_{number}", output_mode="files_only")


WORK = (reading, changing, looking, cleaning)


class Worker:
    """A model that works through the tasks, one call a round, however short its memory is."""

    def __init__(self, window):
        self.task, self.step = -1, 0
        self.scripted = Scripted(self.answer, window=window)

    def answer(self, request):
        if request.messages[0].text.startswith("You write the handover"):
            return SUMMARY
        if self.step >= ROUNDS:
            return f"Task {self.task} is done."
        self.step += 1
        return WORK[self.task](self.step - 1)

    def begin(self):
        self.task, self.step = self.task + 1, 0


async def worked(folder, window):
    """Run all tasks in a folder; return the conversation, all requests, and the events."""
    events, model = [], Worker(window)
    async with Runtime(cwd=make_shop(folder)) as runtime:
        options = AgentOptions(picture_folders=(str(folder),))
        agent = Agent(runtime, model.scripted, system="You work on a shop.", options=options)
        for task in TASKS:
            model.begin()
            async with asyncio.timeout(60):
                events += [event async for event in agent.run(task)]
        definitions = tuple(runtime.definitions())
        find = runtime.registry.get
    return agent.messages, model.scripted.requests, events, definitions, find


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Return a long conversation as the loop recorded it, nothing left out."""
    return asyncio.run(worked(tmp_path_factory.mktemp("shop"), window=0))


def short(recorded, room):
    messages, _, _, _, find = recorded
    aid = Aid(Scripted(lambda _: SUMMARY, window=200_000), find, lambda: "- [ ] ship it")
    return messages[0], asyncio.run(compact(messages[1:], room, aid))


def test_the_recorded_work_is_long_and_has_all_that_real_work_has(recorded, check):
    messages = recorded[0]
    answers = [message for message in messages if message.role == "tool"]
    assert len(answers) == len(TASKS) * ROUNDS
    assert check(messages)
    assert sum(1 for message in answers if message.media) >= 5
    assert sum('"error"' in message.text for message in answers) >= 8
    assert max(tokens_of([message]) for message in answers) > 8_000


@pytest.mark.timeout(60)
@pytest.mark.proves("agent-compaction")
@pytest.mark.parametrize("room", ROOMS)
def test_real_work_made_short_keeps_its_calls_whole_and_its_facts(recorded, check, room):
    _, made = short(recorded, room)
    assert check(made.messages)
    assert tokens_of(made.messages) <= room.target * 1.2
    handover = made.messages[0].text
    assert TASKS[-1] in "\n".join(m.text for m in made.messages if m.role == "user")
    assert "ship it" in handover
    kept = kept_with(made.messages[0])
    assert kept is not None
    assert TASKS[0] in kept.said
    assert {"shop/module_1.py", "CHANGES.md"} <= set(kept.changed)
    assert "shop/legal.py" not in kept.changed


@pytest.mark.timeout(60)
@pytest.mark.proves("agent-compaction")
def test_wherever_real_work_is_cut_no_call_loses_its_answer(recorded, check):
    for latest in range(100, 30_000, 500):
        _, made = short(recorded, Room(40_000, latest))
        assert check(made.messages)


def bodies(recorded, room, protocol):
    """Return what a protocol would send of the shortened conversation."""
    system, made = short(recorded, room)
    name = NAMES[protocol]
    adapter = ADAPTERS[protocol](name, look_up(name))
    return adapter.body(Request((system, *made.messages), recorded[3]), frozenset())


@pytest.fixture(scope="module")
def fits():
    """Return a function that checks a value against a type of a vendor's own library."""
    pydantic = pytest.importorskip("pydantic")

    def check_type(kind, value):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pydantic.TypeAdapter(kind).validate_python(value)

    return check_type


@pytest.mark.timeout(120)
@pytest.mark.parametrize("room", ROOMS)
def test_openai_accepts_real_work_made_short_as_chat(recorded, fits, room):
    chat = pytest.importorskip("openai.types.chat")
    told = bodies(recorded, room, "chat")["messages"]
    for message in told:
        fits(chat.ChatCompletionMessageParam, message)
    waiting = []
    for message in told:
        if message["role"] == "tool":
            assert message["tool_call_id"] in waiting
            waiting.remove(message["tool_call_id"])
        elif message["role"] == "assistant":
            assert waiting == []
            waiting = [one["id"] for one in message.get("tool_calls", ())]
    assert waiting == []


@pytest.mark.timeout(120)
@pytest.mark.parametrize("room", ROOMS)
def test_openai_accepts_real_work_made_short_as_responses(recorded, fits, room):
    responses = pytest.importorskip("openai.types.responses")
    told = bodies(recorded, room, "responses")["input"]
    for item in told:
        fits(responses.ResponseInputItemParam, item)
    asked = [item["call_id"] for item in told if item.get("type") == "function_call"]
    answered = [item["call_id"] for item in told if item.get("type") == "function_call_output"]
    assert asked == answered


@pytest.mark.timeout(120)
@pytest.mark.parametrize("room", ROOMS)
def test_anthropic_accepts_real_work_made_short(recorded, fits, room):
    types = pytest.importorskip("anthropic.types")
    told = bodies(recorded, room, "anthropic")["messages"]
    for message in told:
        fits(types.MessageParam, message)
    assert all(one["role"] != two["role"] for one, two in pairwise(told))
    for one, two in zip(told, [*told[1:], {"content": []}], strict=True):
        asked = [block["id"] for block in _blocks(one) if block["type"] == "tool_use"]
        answered = [b["tool_use_id"] for b in _blocks(two) if b["type"] == "tool_result"]
        assert asked == answered


def _blocks(message):
    return [block for block in message["content"] if isinstance(block, dict)]


@pytest.mark.parametrize("room", ROOMS)
def test_gemini_gets_an_answer_right_behind_every_call_of_real_work_made_short(recorded, room):
    told = bodies(recorded, room, "gemini")["contents"]
    assert {content["role"] for content in told} <= {"user", "model"}
    assert all(one["role"] != two["role"] for one, two in pairwise(told))
    for one, two in zip(told, [*told[1:], {"parts": []}], strict=True):
        asked = [part["functionCall"]["name"] for part in one["parts"] if "functionCall" in part]
        parts = [part for part in two["parts"] if "functionResponse" in part]
        assert asked == [part["functionResponse"]["name"] for part in parts]


@pytest.mark.timeout(120)
@pytest.mark.proves("agent-compaction")
def test_the_loop_makes_room_again_and_again_during_real_work(tmp_path, check):
    messages, requests, events, _, _ = asyncio.run(worked(tmp_path, window=40_000))
    assert len([e for e in events if isinstance(e, Noted) and "summary" in e.text]) >= 2
    assert all(check(request.messages) for request in requests)
    assert all(tokens_of(request.messages) < 40_000 for request in requests)
    said = "\n".join(message.text for message in messages if message.role == "user")
    assert TASKS[-1] in said
    assert "never touch shop/legal.py" in said
    assert (tmp_path / "shop/legal.py").read_text() == "LAW = 1\n"
