"""What a person sees of a turn: whole screens, as a terminal would show them."""

import asyncio
import json

import pytest
from rich.text import Text

from hermes.agent.events import (
    CallDone,
    CallProgress,
    CallStarted,
    ChildSaid,
    Done,
    Noted,
    Said,
    Taken,
    Thought,
)
from hermes.cli.chat.live import Live, Row, Size
from hermes.cli.chat.screen import Screen
from hermes.cli.chat.work import About, Work

SCHEMA = {"required": ["path"]}
DIFF = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old\n+new"


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def screen(terminal, clock):
    work = Work(lambda name: About("📖" if name == "read_file" else "", SCHEMA), clock)
    return Screen(
        terminal,
        work,
        lambda width: [Text("  the bar")],
        size=lambda: Size(terminal.columns, terminal.lines),
    )


@pytest.fixture
def play(screen, terminal):
    """Return a function that shows events in a turn: the screens before and after its end."""

    def run(*events):
        async def turn():
            async with screen.turn():
                for event in events:
                    screen.show(event)
                screen.refresh()
                during = terminal.text
            return during, terminal.text

        return asyncio.run(turn())

    return run


def answered(result, number="1", **more):
    given = {"is_error": False, "seconds": 0.012} | more
    return CallDone(number, "read_file", {"path": "a.py"}, json.dumps(result), **given)


def test_a_turn_from_the_first_word_to_the_last(play):
    during, after = play(
        Said("I look."),
        CallStarted("1", "read_file", {"path": "a.py"}),
        answered({"content": "x" * 1200}),
        Said("It holds **one** line:\n\n- x\n"),
        Done("…", "answered"),
    )
    assert after == (
        "\nI look.\n\n  📖 read_file a.py  12 ms · 1.2 kB  #1\n\nIt holds one line:\n\n • x"
    )
    assert during == after + "\n\n\n  the bar"


def test_what_is_not_whole_yet_is_shown_beneath_what_is(play):
    during, _ = play(Said("One.\n\nTwo is beg"))
    assert during == "\nOne.\n\nTwo is beg\n\n  the bar"


def test_calls_that_run_tell_how_far_they_are(play, clock, screen):
    during, after = play(
        CallStarted("1", "read_file", {"path": "a.py"}),
        CallStarted("2", "sleep", {"path": "3"}),
        CallProgress("2", "sleep", "waiting\x1b[2J"),
    )
    first, second = during.splitlines()[1:3]
    assert first[4:] == "📖 read_file a.py  100 ms"
    assert second[4:] == "• sleep 3  100 ms  waiting␛[2J"
    assert after == "" and screen.work.running == {}


def test_an_error_and_a_denial_show_why(play):
    _, after = play(
        answered({"error": "no such file", "code": "tool_error"}, is_error=True),
        answered({"error": "rule x", "code": "denied"}, is_error=True),
    )
    assert [line.strip() for line in after.splitlines() if "✗" in line or "⊘" in line] == [
        "✗ no such file",
        "⊘ rule x",
    ]


def test_a_change_is_shown_in_colours(play, terminal):
    _, after = play(answered({"diff": DIFF}))
    assert after.splitlines()[2:] == [f"     {line}" for line in DIFF.splitlines()]
    assert {"31", "32", "36"} <= set(terminal.styles)


def test_no_line_is_filled_up_with_spaces(play, terminal):
    play(Said("# Title\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd."))
    assert [row for row in terminal.rows if row != row.rstrip()] == []


def test_a_long_change_is_cut_and_says_where_the_rest_is(play):
    diff = "@@ -1 +1 @@\n" + "\n".join(f"+{number}" for number in range(50))
    _, after = play(answered({"diff": diff}))
    assert after.splitlines()[-1] == "     … 21 more lines: /show 1"


def test_a_call_stays_on_one_line(play, terminal):
    path = "a/" * 60
    _, after = play(CallDone("1", "read_file", {"path": path, "more": path}, "{}", False, 61.0))
    (line,) = after.strip("\n").splitlines()
    assert len(line) < terminal.columns and line.endswith("…  1 min 1 s · 2 B  #1")


def test_children_are_on_one_screen_and_leave_a_line_each(play, clock):
    during, after = play(
        CallStarted("1", "delegate", {"path": "x"}),
        ChildSaid("a", "find the bug", CallStarted("7", "read_file", {"path": "b.py"})),
        ChildSaid("b", "write a test", Said("hm")),
        ChildSaid("b", "write a test", Done("done", "answered")),
    )
    assert [line[7:] for line in during.splitlines()[2:4]] == [
        "find the bug  1 call · 100 ms  read_file b.py",
        "write a test  0 calls · 0.0 ms",
    ]
    assert during.splitlines()[3][5] == "✓"
    assert after == ""


def test_many_children_do_not_fill_the_screen(play):
    said = [ChildSaid(str(each), f"goal {each}", Said("x")) for each in range(30)]
    during, _ = play(CallStarted("1", "delegate", {"path": "x"}), *said)
    assert len(during.splitlines()) < 14 and "… and 22 more" in during


def test_thinking_shows_that_something_happens(play, clock):
    during, _ = play(Thought("first\nthe second line"))
    assert during.strip("\n").splitlines()[0][4:] == "thinking 100 ms  the second line"


def test_an_answer_that_is_taken_back_is_marked(play):
    _, after = play(Said("half an ans"), Taken("the server is busy", 2.0), Said("All of it."))
    assert after == "  · asked again: the server is busy\n\nAll of it."


def test_notes_and_endings_are_told(play):
    _, after = play(Noted("compacted"), Done("", "failed", "the key is wrong"))
    assert after == "  · compacted\n  ✗ the model could not be asked: the key is wrong"


@pytest.mark.proves("chat-terminal-safe")
def test_nothing_of_a_turn_controls_the_terminal(play):
    evil = "\x1b[2J\x1b]0;x\x07\x9b1m\u202e\r"
    play(
        Said(f"{evil} `{evil}`\n\n```{evil}\n{evil}\n```\n\n[{evil}](http://x/{evil})\n"),
        Thought(evil),
        CallStarted(evil, evil, {evil: evil}),
        CallProgress(evil, evil, evil),
        CallDone(evil, evil, {evil: evil}, evil, True, 1.0),
        CallDone("2", evil, evil, json.dumps({"diff": f"@@{evil}\n+{evil}"}), False, 1.0),
        ChildSaid("a", evil, CallStarted("1", evil, evil)),
        ChildSaid("b", evil, Done(evil, "failed", evil)),
        Noted(evil),
        Taken(evil, 1.0),
        Done(evil, "failed", evil),
    )


def test_a_question_has_the_terminal_to_itself(screen, terminal):
    async def turn():
        async with screen.turn():
            screen.show(CallStarted("1", "read_file", {"path": "a.py"}))
            screen.refresh()
            with screen.aside():
                screen.refresh()
                assert (terminal.text, terminal.is_cursor_hidden) == ("", False)
                terminal.write("may I? yes\n")
            screen.refresh()
            assert terminal.text.splitlines()[0] == "may I? yes"
            assert "read_file" in terminal.text

    asyncio.run(turn())


def test_the_cursor_is_back_after_a_turn_that_breaks(screen, terminal):
    async def turn():
        async with screen.turn():
            screen.refresh()
            assert terminal.is_cursor_hidden
            raise RuntimeError

    with pytest.raises(RuntimeError):
        asyncio.run(turn())
    assert not terminal.is_cursor_hidden


def test_a_window_that_became_narrow_is_drawn_over_whole(terminal):
    size = Size(40, 10)
    live = Live(terminal, lambda: size)
    terminal.write("kept\n")
    live.draw([Row("x" * 30, 30), Row("y", 1)])
    size = Size(20, 10)
    # the terminal has broken the first row in two
    terminal.rows[1:] = ["x" * 20, "x" * 10, "y"]
    terminal.row = 3
    live.draw([Row("z", 1)])
    assert terminal.text == "kept\nz"


def test_more_rows_than_lines_leave_out_the_first(terminal):
    live = Live(terminal, lambda: Size(40, 4))
    live.draw([Row(str(number), 1) for number in range(9)])
    assert terminal.text == "6\n7\n8"


def test_colours_are_readable_on_any_background(play, terminal):
    text = (
        "# T\n\n`code` [a](http://b)\n\n> quote\n\n- x\n\n1. y\n\n---\n\n"
        "| a |\n|---|\n| 1 |\n\n```py\nclass X: x = 'a' + 1 # b\n```\n"
    )
    play(Said(text), answered({"diff": DIFF}), Done("", "failed", "why"))
    codes = {code for style in terminal.styles for code in style.split(";")}
    # bold, dim, italic, underlined; red, green, magenta, cyan; behind the text what is there
    assert codes <= {"", "0", "1", "2", "3", "4", "31", "32", "35", "36", "49"}
