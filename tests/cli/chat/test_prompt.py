"""The line where a person writes: several lines, paste, history, completion, and leaving."""

import asyncio
import stat

import pytest
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from hermes.cli.chat.completing import Sources
from hermes.cli.chat.keys import NOTHING, Typed
from hermes.cli.chat.prompt import Prompt, history_in

ALT_ENTER, PASTE = "\x1b\r", "\x1b[200~{}\x1b[201~"
SECONDS = 5


@pytest.fixture
def asked(tmp_path):
    """Return a function that types keys and returns what the prompt gives."""
    shown = []

    async def type_in(prompt, given, keys, until):
        given.send_text(keys)
        while not until(prompt._session.default_buffer):
            await asyncio.sleep(0)

    def ask(keys, typed=NOTHING, history=None, answer=None, first=None):
        async def run():
            with create_pipe_input() as given:
                prompt = Prompt(
                    Sources({"help": "Help."}, {}, lambda: str(tmp_path)),
                    lambda: [("class:bar", "bar")],
                    lambda: shown.append("expanded"),
                    history=history,
                    input=given,
                    output=DummyOutput(),
                )
                async with asyncio.timeout(SECONDS):
                    if first is not None:
                        asking = asyncio.ensure_future(prompt.ask())
                        await type_in(prompt, given, *first)
                        given.send_text(keys)
                        return await asking
                    given.send_text(keys)
                    if answer is not None:
                        return await prompt.answer(answer)
                    return await prompt.ask(typed)

        return asyncio.run(run())

    ask.shown = shown
    return ask


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("hello\r", "hello"),
        (f"one{ALT_ENTER}two\r", "one\ntwo"),
        ("one\x0atwo\r", "one\ntwo"),
        ("one\\\rtwo\r", "one\ntwo"),
        ("a path \\\\\r", "a path \\\\"),
        (PASTE.format("pasted\nlines\n") + "\r", "pasted\nlines\n"),
        (PASTE.format("rm -rf x\r") + " no\r", "rm -rf x\n no"),
        ("wrong\x03right\r", "right"),
    ],
)
def test_enter_sends_and_lines_can_be_added(asked, keys, text):
    assert asked(keys) == text


def test_control_d_leaves_and_control_c_on_nothing_is_told(asked):
    with pytest.raises(EOFError):
        asked("\x04")
    with pytest.raises(KeyboardInterrupt):
        asked("\x03")


def test_what_was_typed_ahead_is_there_and_sent_if_it_was_ended(asked):
    assert asked(" more\r", Typed("typed")) == "typed more"
    assert asked("", Typed("typed", is_sent=True)) == "typed"


def test_tab_completes_commands(asked):
    assert asked("/he\t\r") == "/help "
    assert asked("\t\r", first=("/he", lambda buffer: buffer.complete_state)) == "/help "


def test_a_key_expands_the_last_call(asked):
    assert asked("ok\r", first=("\x0f", lambda _: asked.shown)) == "ok"
    assert asked.shown == ["expanded"]


def test_a_question_in_between_is_answered_in_one_line(asked):
    assert asked("the test one\r", answer=["the test one", "production"]) == "the test one"


def test_earlier_messages_come_back(asked):
    history = InMemoryHistory(["first", "second\nwith two lines"])
    assert asked("\x1b[A\r", history=history) == "second\nwith two lines"


def test_the_history_is_kept_for_its_owner_alone(asked, tmp_path):
    file = tmp_path / "home" / "chat_history"
    asked("first\r", history=history_in(file))
    asked(" with a space it is not kept\r", history=history_in(file))
    asked("second\r", history=history_in(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert asked("\x1b[A\x1b[A\r", history=history_in(file)) == "first"
    assert "not kept" not in file.read_text()


def test_a_history_that_others_could_read_is_closed_to_them(tmp_path):
    file = tmp_path / "chat_history"
    file.write_text("")
    file.chmod(0o644)
    history_in(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_history_that_became_large_keeps_its_newer_half(tmp_path):
    file = tmp_path / "chat_history"
    file.write_text("".join(f"\n# time\n+{'x' * 1000} {number}\n" for number in range(2_100)))
    kept = list(history_in(file).load_history_strings())
    assert kept[0].endswith(" 2099") and 900 < len(kept) < 1_100
    assert all(line.startswith("x" * 1000) for line in kept)
