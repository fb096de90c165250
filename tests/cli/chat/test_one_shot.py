"""One question, one answer: for scripts, pipes and programs."""

import json
import subprocess
import sys

import pytest

READ = {"text": "I look.", "calls": [{"name": "read_file", "arguments": {"path": "a.txt"}}]}


@pytest.fixture
def ask(environ, folder):
    """Return a function that runs ``hermes`` without a terminal."""

    def run(*words, given=None, **variables):
        return subprocess.run(
            [sys.executable, "-m", "hermes", *words],
            env=environ | variables,
            cwd=folder,
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            text=True,
            timeout=30,
        )

    return run


@pytest.mark.proves("chat-one-shot")
def test_the_answer_alone_is_on_standard_output(ask, script):
    done = ask("chat", "-q", "look", "--model", script(READ, "Two **lines**."))
    assert (done.returncode, done.stdout, done.stderr) == (0, "Two **lines**.\n", "")


@pytest.mark.proves("chat-one-shot")
def test_a_question_can_be_piped(ask, script):
    model = script({"expects": {"said": "look"}, "text": "Here."})
    assert ask("chat", "--model", model, given="look\n").stdout == "Here.\n"
    assert ask(given="look\n", HERMES_MODEL_NAME=model).stdout == "Here.\n"


def test_standard_input_can_be_attached(ask, script):
    model = script({"expects": {"said": '<file path="-">\na diff'}, "text": "Fine."})
    done = ask("chat", "-q", "review @-", "--model", model, given="a diff\n")
    assert done.stdout == "Fine.\n"


@pytest.mark.proves("chat-json")
def test_every_event_is_a_line_of_json(ask, script):
    done = ask("chat", "-q", "look", "--json", "--model", script(READ, "Two lines."))
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    kinds = [event["type"] for event in events if event["type"] != "text"]
    assert [kind for kind in kinds if kind != "usage"] == ["tool_start", "tool_result", "done"]
    (result,) = [event for event in events if event["type"] == "tool_result"]
    assert result["name"] == "read_file" and result["args"] == {"path": "a.txt"}
    assert json.loads(result["result"])["content"] == "1|one\n2|two"
    assert result["id"] == next(e["id"] for e in events if e["type"] == "tool_start")
    assert events[-1]["text"] == "Two lines." and events[-1]["ending"] == "answered"


@pytest.mark.proves("chat-json")
def test_arguments_that_came_as_text_are_an_object(ask, script):
    call = {"calls": [{"name": "read_file", "arguments": '{"path": "a.txt"}'}]}
    done = ask("chat", "-q", "x", "--json", "--model", script(call, "ok"))
    events = [json.loads(line) for line in done.stdout.splitlines()]
    tools = [event for event in events if event["type"].startswith("tool_")]
    assert [event["args"] for event in tools] == [{"path": "a.txt"}] * 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["chat", "-q", "x", "--model", "nobody:here"], 2),
        (["chat", "-q", "  "], 2),
        (["chat", "-q", "x", "--toolsets", "nonsense", "--model", "hermes:builtin"], 2),
        (["chat", "--nonsense"], 2),
        (["chat"], 2),
    ],
)
def test_what_the_person_has_to_put_right_ends_with_two(ask, words, code):
    done = ask(*words)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("hermes: ")


def test_a_failure_is_told_and_ends_with_one(ask, script):
    model = script({"error": {"message": "the server is down", "trouble": "unreachable"}})
    done = ask("chat", "-q", "x", "--model", model)
    assert (done.returncode, done.stdout) == (1, "")
    assert "the server is down" in done.stderr


def test_an_error_before_the_first_event_is_an_event_too(ask):
    done = ask("chat", "-q", "x", "--json", "--model", "nobody:here")
    told = json.loads(done.stdout)
    assert (done.returncode, told["type"], told["code"]) == (2, "error", "config_error")


def test_only_the_chosen_toolsets_are_on_offer(ask, script):
    model = script(READ, "ok")
    done = ask("chat", "-q", "x", "--json", "--model", model, "--toolsets", "system")
    result = next(json.loads(line) for line in done.stdout.splitlines() if "tool_result" in line)
    assert result["is_error"]


def test_nobody_is_there_to_ask_in_a_pipe(ask, script, tmp_path):
    call = {"calls": [{"name": "terminal", "arguments": {"command": "rm -rf ~/x"}}]}
    done = ask("chat", "-q", "x", "--json", "--model", script(call, "ok"))
    result = next(json.loads(line) for line in done.stdout.splitlines() if "tool_result" in line)
    assert json.loads(result["result"])["code"] == "denied"


def test_on_a_terminal_the_answer_is_drawn(talk, script):
    chat = talk("chat", "-q", "look", "--model", script(READ, "Two **lines**."))
    chat.see("read_file a.txt")
    chat.see("Two lines.")
    assert chat.end() == 0


def test_on_a_terminal_a_person_is_asked(talk, script, tmp_path):
    (tmp_path / "home").mkdir()
    rules = "profiles:\n  careful:\n    allow: ['*']\n    approval_required: [file:read]\n"
    (tmp_path / "home" / "hermes_permissions.yaml").write_text(rules)
    model = script(READ, "Two lines.")
    chat = talk("chat", "-q", "look", "--model", model, "--profile", "careful")
    chat.see("hermes asks: may read_file do this?")
    chat.see("o, s, a or d? ")
    chat.type("o\n")
    chat.see("Two lines.")
    assert chat.end() == 0


def test_on_a_terminal_the_agent_can_ask(talk, script):
    question = {"name": "clarify", "arguments": {"question": "Which one?"}}
    answered = {"expects": {"said": "the blue one"}, "text": "As you like."}
    chat = talk("chat", "-q", "paint", "--model", script({"calls": [question]}, answered))
    chat.see("Which one?")
    chat.see("> ")
    chat.type("the blue one\n")
    chat.see("As you like.")
    assert chat.end() == 0


def test_three_interrupts_end_it(talk, script):
    sleep = {"calls": [{"name": "sleep", "arguments": {"seconds": 60}}]}
    chat = talk("chat", "-q", "x", "--model", script(sleep, {"text": "late", "slow_seconds": 60}))
    chat.see("waiting 60 s")
    chat.type("\x03")
    chat.see("#1")
    chat.type("\x03")
    assert chat.end() == 130
