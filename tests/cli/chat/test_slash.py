"""The slash commands, on a real runtime and an agent that follows a script."""

import asyncio

import pytest

from hermes import Runtime
from hermes.base.errors import HermesError
from hermes.cli.chat import drawing, past, slash
from hermes.cli.chat.seat import Seat
from hermes.cli.chat.slash_table import COMMANDS, words_after
from hermes.cli.chat.slash_tools import read_call
from hermes.cli.command import Usage
from hermes.llm.scripted import Scripted, call

SECONDS = 20


class Noted:
    """A chat that keeps what it is told to show."""

    def __init__(self, seat):
        self.seat = seat
        self.shown = []

    async def by_hand(self, name, args):
        done = await self.seat.call(name, args)
        self.put(drawing.whole_call(self.seat.work.finish(done)))

    async def patiently(self, work):
        return await work

    def put(self, parts):
        self.shown += drawing.plainly(parts)

    def note(self, text):
        self.shown.append(text)

    def recall(self):
        self.shown.append(past.ending(self.seat.agent.messages))

    async def say(self, text):
        async for event in self.seat.run(text):
            last = event
        return last.text

    async def type(self, line):
        name, rest = slash.read(line)
        self.shown.clear()
        await slash.find(name, COMMANDS).act(self, rest)
        return self.shown


@pytest.fixture
def chatting(tmp_path, hermes_home):
    """Return a function that runs a coroutine with a chat whose model follows steps."""

    def run(work, *steps):
        async def go():
            async with asyncio.timeout(SECONDS), Runtime(cwd=tmp_path) as runtime:
                seat = Seat(runtime, runtime.agent(Scripted(steps), source="cli"))
                try:
                    return await work(Noted(seat))
                finally:
                    await seat.close()

        return asyncio.run(go())

    return run


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("/help", ("help", "")),
        (" /call x a=1\n b=2 ", ("call", "x a=1\n b=2")),
        ("/etc/hosts is what?", None),
        ("/", None),
        ("/2", None),
        ("what does /help do?", None),
    ],
)
def test_commands_are_told_from_messages(text, meant):
    assert slash.read(text) == meant


def test_a_command_that_is_not_there_names_the_nearest():
    with pytest.raises(Usage) as raised:
        slash.find("tols", COMMANDS)
    assert "tools" in raised.value.hint


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("sleep seconds:=1", ("sleep", {"seconds": 1})),
        ("terminal command='ls -l \"a b\"'", ("terminal", {"command": 'ls -l "a b"'})),
    ],
)
def test_a_line_becomes_a_call(line, meant):
    assert read_call(line) == meant


@pytest.mark.parametrize("line", ["", "sleep 'x", "sleep seconds"])
def test_a_line_that_is_no_call_is_told(line):
    with pytest.raises(Usage):
        read_call(line)


@pytest.mark.proves("chat-by-hand")
def test_a_call_by_hand_is_judged_like_any_other(chatting):
    async def work(chat):
        return list(await chat.type("/call terminal command='rm -rf /'"))

    shown = chatting(work)
    assert any("denied" in line for line in shown)


def test_a_call_can_be_shown_again_by_its_number(chatting):
    async def work(chat):
        await chat.type("/call sleep seconds=0.01")
        await chat.type("/call sleep seconds=0.02")
        with pytest.raises(Usage):
            await chat.type("/show 3")
        return list(await chat.type("/show 1")), list(await chat.type("/show"))

    first, last = chatting(work)
    assert "  slept  0.01" in first and "  slept  0.02" in last


def test_the_last_turn_is_taken_back_and_what_was_kept_stays(chatting):
    async def work(chat):
        await chat.say("one")
        before = chat.seat.agent.session_id
        await chat.say("two")
        task = chat.seat.agent.task_id
        assert "taken back: two" in await chat.type("/undo")
        assert chat.seat.agent.task_id == task and chat.seat.agent.session_id != before
        assert await chat.say("three") == "C"
        texts = [each.text for each in chat.seat.agent.messages if each.role != "system"]
        kept = past.sessions_of(chat.seat).resume(before).messages()
        return texts, [each.text for each in kept if each.role != "system"]

    texts, kept = chatting(work, "A", "B", "C")
    assert texts == ["one", "A", "three", "C"]
    assert kept == ["one", "A", "two", "B"]


def test_the_first_turn_can_be_taken_back_too(chatting):
    async def work(chat):
        with pytest.raises(HermesError):
            await chat.type("/undo")
        await chat.say("one")
        first = chat.seat.agent.session_id
        await chat.type("/undo")
        assert [each.role for each in chat.seat.agent.messages] == ["system"]
        await chat.say("two")
        return chat.seat.agent.session_id != first

    assert chatting(work, "A", "B")


def test_a_conversation_goes_on_where_it_ended(chatting):
    async def work(chat):
        with pytest.raises(HermesError):
            await chat.type("/resume")
        await chat.say("one")
        first = chat.seat.agent.session_id
        await chat.type("/new")
        assert await chat.say("two") == "B"
        assert chat.seat.agent.session_id != first
        return list(await chat.type(f"/resume {first[:6]}")), await chat.say("again")

    assert chatting(work, "A", "B", "C") == ([("one", "A")], "C")


def test_another_profile_judges_the_next_call(chatting):
    async def work(chat):
        assert chat.seat.profile == "developer"
        await chat.type("/profile readonly")
        await chat.type("/call write_file path=a.txt content=x")
        with pytest.raises(HermesError):
            await chat.type("/profile nonsense")
        return chat.seat.profile, chat.seat.work.calls[-1].is_error

    assert chatting(work) == ("readonly", True)


def test_another_model_goes_on_with_the_conversation(chatting, tmp_path):
    (tmp_path / "other.json").write_text('{"steps": [{"expects": {"messages": 4}, "text": "B"}]}')

    async def work(chat):
        await chat.say("one")
        await chat.type(f"/model scripted:{tmp_path / 'other.json'}")
        with pytest.raises(HermesError):
            await chat.type("/model nobody:here")
        return await chat.say("two")

    assert chatting(work, "A") == "B"


@pytest.mark.parametrize("line", ["/tools", "/tools file", "/toolsets", "/help", "/cost", "/todo"])
def test_listings_are_printed(chatting, capsys, line):
    async def work(chat):
        await chat.type(line)

    chatting(work)
    assert capsys.readouterr().out.strip()


def test_only_tools_on_offer_are_listed(chatting, capsys):
    async def work(chat):
        await chat.type("/tools file")

    chatting(work)
    assert "read_file" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "typed", "current", "word"),
    [
        ("call", [], "", "read_file"),
        ("call", ["read_file"], "", "path="),
        ("call", ["env_manager"], "action=", "action=get"),
        ("profile", [], "", "readonly"),
        ("toolsets", [], "", "file"),
        ("model", [], "", "hermes:builtin"),
    ],
)
def test_what_follows_a_command_is_completed(chatting, command, typed, current, word):
    async def work(chat):
        return [found for found, _ in words_after(chat)[command](typed, current)]

    assert word in chatting(work)


def test_todos_and_calls_of_the_agent_are_known(chatting):
    step = call("todo", todos=[{"id": "1", "content": "ship"}])

    async def work(chat):
        await chat.say("plan")
        return [todo.content for todo in chat.seat.todos()]

    assert chatting(work, step, "ok") == ["ship"]


def test_what_the_last_turn_changed_is_brought_back_with_it(chatting, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept.txt").write_text("old\n")
    replace = call("write_file", path="kept.txt", content="new\n")
    make = call("write_file", path="made.txt", content="x\n")

    async def work(chat):
        await chat.say("change them")
        assert (tmp_path / "made.txt").exists()
        return list(await chat.type("/undo files"))

    shown = chatting(work, [replace, make], "done")
    assert (tmp_path / "kept.txt").read_text() == "old\n"
    assert not (tmp_path / "made.txt").exists()
    assert sum(line.startswith("brought back: ") for line in shown) == 2
