"""The chat as a person meets it: a real terminal, real keys, a model that follows a script."""

import re
import signal

import pytest

from hermes.cli.chat.greeting import MARK

READ = {"text": "I look.", "calls": [{"name": "read_file", "arguments": {"path": "a.txt"}}]}
SLEEP = {"calls": [{"name": "sleep", "arguments": {"seconds": 60}}]}
CLARIFY = {
    "calls": [
        {"name": "clarify", "arguments": {"question": "Which one?", "choices": ["red", "blue"]}}
    ]
}
SET = {
    "calls": [{"name": "env_manager", "arguments": {"action": "set", "name": "X", "value": "1"}}]
}
CAREFUL = "profiles:\n  careful:\n    allow: ['*']\n    approval_required: [env:write]\n"


def test_a_turn_is_shown_and_the_next_prompt_follows(talk, script):
    chat = talk("chat", "--model", script(READ, "It holds **two** lines."))
    chat.say("what is in it?")
    chat.see("I look.")
    chat.see("read_file a.txt")
    chat.see("#1")
    chat.see("It holds two lines.")
    assert chat.leave() == 0


def test_hermes_alone_opens_the_chat(talk):
    chat = talk(HERMES_MODEL_NAME="hermes:builtin")
    chat.see("hermes 0")
    chat.see("hermes:builtin")
    assert chat.leave() == 0


@pytest.mark.proves("chat-interrupts")
def test_the_first_interrupt_stops_the_tool_and_the_model_goes_on(talk, script):
    chat = talk("chat", "--model", script(SLEEP, "It was stopped."))
    chat.say("wait")
    chat.see("sleep 60")
    chat.type("\x03")
    chat.see("It was stopped.")
    assert chat.leave() == 0


@pytest.mark.proves("chat-interrupts")
def test_the_second_interrupt_ends_the_turn_and_the_third_leaves(talk, script):
    slow = {"text": "too late", "slow_seconds": 60}
    chat = talk("chat", "--model", script(SLEEP, slow))
    chat.say("wait")
    chat.see("sleep 60")
    chat.type("\x03")
    chat.see("#1")
    chat.type("\x03")
    chat.see("stopped")
    assert chat.leave("\x03") == 130


def test_two_interrupts_where_nothing_runs_leave(talk, script):
    chat = talk("chat", "--model", script("x"))
    chat.see(MARK.strip())
    chat.see(MARK.strip())
    chat.type("\x03")
    chat.see("leaves")
    assert chat.leave("\x03") == 130


def test_what_is_typed_ahead_is_sent_next(talk, script):
    chat = talk("chat", "--model", script(SLEEP, "First.", "Second."))
    chat.say("wait")
    chat.see("sleep 60")
    chat.type("and then\r")
    chat.type("\x03")
    chat.see("First.")
    chat.see("and then")
    chat.see("Second.")
    assert chat.leave() == 0


def test_an_approval_is_asked_in_the_same_screen(talk, script, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "hermes_permissions.yaml").write_text(CAREFUL)
    chat = talk("chat", "--model", script(SET, "It is set."), "--profile", "careful")
    chat.say("set it")
    chat.see("hermes asks: may env_manager do this?")
    chat.see("o, s, a or d? ")
    chat.type("o\n")
    chat.see("It is set.")
    assert chat.leave() == 0


def test_a_question_of_the_agent_is_answered_in_the_same_screen(talk, script):
    chat = talk("chat", "--model", script(CLARIFY, "As you like."))
    chat.say("paint it")
    chat.see("Which one?")
    chat.see("2  blue")
    chat.see("leaves it open")
    chat.type("2\r")
    chat.see("As you like.")
    chat.say("/show 1")
    chat.see("blue")
    assert chat.leave() == 0


@pytest.mark.proves("chat-by-hand")
def test_tools_can_be_called_by_hand(talk, script):
    chat = talk("chat", "--model", script())
    chat.say("/call read_file path=a.txt")
    chat.see("1|one")
    chat.say("/call read_fle path=a.txt")
    chat.see("Did you mean 'read_file'")
    chat.say("/call terminal command='rm -rf /'")
    chat.see("denied")
    assert chat.leave() == 0


def test_commands_that_are_not_known_are_told(talk, script):
    chat = talk("chat", "--model", script())
    chat.say("/hepl")
    chat.see("Did you mean 'help'?")
    chat.say("/help")
    chat.see("/call TOOL")
    assert chat.leave("/quit\r") == 0


def test_files_are_attached(talk, script):
    expects = {"expects": {"said": "1|one"}, "text": "Two lines."}
    chat = talk("chat", "--model", script(expects))
    chat.say("see @a.txt ")
    chat.see("@a.txt goes along, 2 lines")
    chat.see("Two lines.")
    assert chat.leave() == 0


def test_the_screen_fits_a_narrow_terminal(talk, script):
    chat = talk("chat", "--model", script(READ, "Done."), columns=40)
    chat.say("what is in it?")
    chat.see("Done.")
    assert chat.leave() == 0
    shown = chat.seen.splitlines()
    line = next(line for line in shown if "#1" in line)
    assert len(line.strip()) < 40


@pytest.mark.proves("chat-terminal-safe")
def test_a_model_cannot_reach_the_terminal(talk, script):
    chat = talk("chat", "--model", script("\x1b]0;owned\x07 and \x1b[8mhidden"))
    chat.say("hello")
    chat.see("hidden")
    assert chat.leave() == 0
    assert b"\x1b]0;owned" not in chat.raw and b"\x1b[8m" not in chat.raw


def test_a_plain_terminal_gets_plain_lines(talk, script):
    chat = talk("chat", "--model", script(READ, "Two **lines**."), TERM="dumb")
    chat.say("what is in it?")
    chat.see("read_file a.txt")
    chat.see("Two **lines**.")
    assert chat.leave() == 0
    assert b"\x1b" not in chat.raw


def test_without_colour_there_is_none(talk, script):
    chat = talk("chat", "--model", script("Two **lines**."), NO_COLOR="1")
    chat.say("hello")
    chat.see("Two lines.")
    assert chat.leave() == 0
    assert re.findall(rb"\x1b\[[0-9;]*3[1-7][;m]", chat.raw) == []


def test_a_call_by_hand_can_be_stopped(talk, script):
    chat = talk("chat", "--model", script())
    chat.say("/call sleep seconds=60")
    chat.see("waiting 60 s")
    chat.type("\x03")
    chat.see("stopped")
    assert chat.leave() == 0


def test_credentials_are_asked_about_before_they_go_along(talk, script, folder):
    (folder / ".env").write_text("TOKEN=abc\n")
    chat = talk("chat", "--model", script("Seen."))
    chat.say("see @.env ")
    chat.see("hermes asks: may attach do this?")
    chat.see("? ")
    chat.type("d\n")
    chat.see("@.env is not attached: the user refused this call")
    chat.see("Seen.")
    assert chat.leave() == 0


def test_where_the_encoding_is_poor_ascii_stands_for_other_signs(talk, script):
    poor = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    chat = talk("chat", "--model", script(READ, "Two **lines** …"), **poor)
    chat.see("> ")
    chat.type("what is in it?\r")
    chat.see("* read_file a.txt")
    chat.see("Two lines ...")
    chat.see("> ")
    chat.type("\x04")
    assert chat.end() == 0


def test_a_conversation_goes_on_from_the_command_line(talk, script):
    chat = talk("chat", "--model", script("It is **blue**."))
    chat.say("what colour?")
    chat.see("It is blue.")
    assert chat.leave() == 0
    assert "--resume" in chat.seen
    again = talk("chat", "--model", script({"expects": {"messages": 4}, "text": "Still."}),
                 "--resume", "last")  # fmt: skip
    again.see("it ended so:")
    again.see("It is blue.")
    again.say("and now?")
    again.see("Still.")
    assert again.leave() == 0


def test_a_person_without_a_model_can_begin_at_once(talk):
    chat = talk()
    chat.see("No model was found")
    chat.see("hermes:builtin answers instead")
    chat.see("/call system_info")
    chat.say("/call sleep seconds=0.01")
    chat.see("slept")
    assert chat.leave() == 0


@pytest.mark.parametrize("words", [("chat",), ("chat", "-q", "wait")])
def test_a_signal_ends_it_and_the_terminal_is_as_before(talk, script, words):
    chat = talk(*words, "--model", script(SLEEP))
    if len(words) == 1:
        chat.say("wait")
    chat.see("waiting 60 s")
    chat.process.send_signal(signal.SIGTERM)
    assert chat.end() == 143
    assert chat.raw.rindex(b"\x1b[?25h") > chat.raw.rindex(b"\x1b[?25l")
    assert "Traceback" not in chat.seen
