"""What is typed while a turn runs is neither shown nor lost."""

import asyncio
import os
import pty
import signal
import termios

import pytest

from hermes.cli.chat.keys import Keys, Typed

SECONDS = 5


@pytest.fixture
def line():
    leader, follower = pty.openpty()
    with os.fdopen(follower, "r") as given:
        yield leader, given
    os.close(leader)


def keys(given, heard=None):
    heard = [] if heard is None else heard
    return Keys(given, lambda: heard.append("interrupt"), lambda: heard.append("expand"))


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("next", Typed("next")),
        ("next\n", Typed("next", is_sent=True)),
        ("nexx\x7ft", Typed("next")),
        ("up\x1b[A and\x1bOP \x1bx down", Typed("up and  down")),
        ("a\x0fb", Typed("ab")),
        ("", Typed()),
    ],
)
def test_what_is_typed_ahead_waits_for_the_prompt(typed, kept):
    heard = []
    listening = keys(None, heard)
    listening.type(typed)
    assert listening.take() == kept
    assert listening.take() == Typed()
    assert heard == (["expand"] if "\x0f" in typed else [])


def test_the_terminal_is_silent_for_a_turn_and_then_as_before(line):
    leader, given = line
    before = termios.tcgetattr(given.fileno())

    async def turn():
        listening = keys(given)
        with listening.listening():
            assert not termios.tcgetattr(given.fileno())[3] & (termios.ECHO | termios.ICANON)
            os.write(leader, b"ahead\r")
            async with asyncio.timeout(SECONDS):
                while not listening._typed.endswith("\n"):
                    await asyncio.sleep(0)
        return listening.take()

    assert asyncio.run(turn()) == Typed("ahead", is_sent=True)
    assert termios.tcgetattr(given.fileno()) == before


def test_an_interrupt_is_told_and_ends_nothing(line):
    _, given = line
    heard = []

    async def turn():
        with keys(given, heard).listening():
            os.kill(os.getpid(), signal.SIGINT)
            async with asyncio.timeout(SECONDS):
                while not heard:
                    await asyncio.sleep(0)

    asyncio.run(turn())
    assert heard == ["interrupt"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_question_has_the_keyboard_to_itself(line):
    leader, given = line

    async def turn():
        listening = keys(given)
        with listening.listening(), listening.aside():
            os.write(leader, b"yes\n")
            await asyncio.sleep(0.05)
            answer = os.read(given.fileno(), 10)
        return answer, listening.take()

    assert asyncio.run(turn()) == (b"yes\n", Typed())
