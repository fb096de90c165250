"""The console approver: on a terminal a person answers, in a pipe nobody is there."""

import asyncio
import fcntl
import json
import os
import pty
import select
import subprocess
import sys
import termios
import threading

import pytest

from hermes.cli.approver import Console, read
from hermes.runtime.approvals import Answer, SecretRequest

SECONDS = 20
CALL = ("tool", "call", "env_manager", "action=set", "name=X", "value=1", "--profile", "careful")


@pytest.fixture
def home(environ, tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "hermes_permissions.yaml").write_text(
        "profiles:\n  careful:\n    allow: ['*']\n    approval_required: [env:write]\n"
    )
    return folder


@pytest.fixture
def asked(environ, home):
    """Return a function that calls a tool on a terminal and types when it is asked."""

    def run(*typed, early="", **variables):
        leader, follower = pty.openpty()
        os.write(leader, early.encode())
        process = subprocess.Popen(
            [sys.executable, "-m", "hermes", *CALL],
            env=environ | variables,
            stdin=follower,
            stdout=subprocess.PIPE,
            stderr=follower,
            start_new_session=True,
            preexec_fn=lambda: _take(follower),
        )
        os.close(follower)
        seen = ""
        for text in typed:
            seen += _until(leader, "? ")
            os.write(leader, text.encode())
        with process:
            out = process.stdout.read()
        seen += _rest(leader)
        os.close(leader)
        return process.returncode, json.loads(out), seen

    return run


def _take(terminal):
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


def _until(leader, mark):
    seen = ""
    while not seen.endswith(mark):
        assert select.select([leader], [], [], SECONDS)[0], seen
        seen += os.read(leader, 4_096).decode()
    return seen


def _rest(leader):
    seen = ""
    try:
        while select.select([leader], [], [], 0)[0]:
            chunk = os.read(leader, 4_096).decode()
            if not chunk:
                break
            seen += chunk
    except OSError:  # Linux says so when the other end is closed
        pass
    return seen


SET = {"name": "X", "value": "1", "set": True}


def test_a_person_says_yes_and_only_the_answer_is_on_standard_output(asked):
    code, answer, seen = asked("o\n")
    assert (code, answer) == (0, SET)
    assert "hermes asks: may env_manager do this?" in seen and "name: X" in seen


def test_a_person_says_no_and_why(asked):
    code, answer, _ = asked("d use the test data\n")
    assert code == 3 and answer["error"] == "the user refused this call: use the test data"


def test_what_is_not_understood_is_asked_again(asked):
    code, answer, _ = asked("maybe\n", "\n", "O\n")
    assert (code, answer) == (0, SET)


def test_an_interrupt_refuses_and_stops(asked):
    code, answer, _ = asked("o\x03")
    assert code == 3 and answer["stop"] is True


def test_the_end_of_input_refuses(asked):
    code, answer, _ = asked("\x04")
    assert code == 3 and answer["code"] == "denied"


def test_silence_refuses(asked):
    code, answer, seen = asked("", HERMES_APPROVALS_TIMEOUT_SECONDS="0.3")
    assert code == 3 and "nobody answered in time" in answer["error"]
    assert "No answer: refused." in seen


def test_what_was_typed_before_the_question_does_not_answer_it(asked):
    code, answer, _ = asked("d\n", early="o\n")
    assert code == 3 and answer["error"] == "the user refused this call"


def test_always_is_remembered_by_the_next_call(asked, home):
    assert asked("a\n")[:2] == (0, SET)
    assert asked()[:2] == (0, SET)
    assert "tool:env_manager[env:write]" in (home / "config.yaml").read_text()


def test_in_a_pipe_nobody_is_there(environ, home):
    done = subprocess.run(
        [sys.executable, "-m", "hermes", *CALL],
        env=environ,
        input="o\n",
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 3
    assert "nobody is there to ask" in json.loads(done.stdout)["error"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("o\n", Answer("once")),
        (" Session \n", Answer("session")),
        ("a\n", Answer("always")),
        ("no: too much\n", Answer("deny", "too much")),
        ("d\n", Answer("deny")),
        ("\x03", Answer("deny", stop=True)),
        ("", Answer("deny")),
        ("\n", None),
        ("once more\n", None),
        ("x\n", None),
    ],
)
def test_typed_lines_are_read(line, expected):
    assert read(line, may_last=True) == expected


def test_always_is_no_answer_where_it_is_not_on_offer():
    assert read("a\n", may_last=False) is None


@pytest.fixture
def told_secret():
    """Return a function that asks for a secret on a terminal and types the answers."""

    def run(*typed, was_wrong=False):
        leader, follower = pty.openpty()
        request = SecretRequest("the password for sudo", "sudo id", "one", was_wrong, 60)
        seen = []

        def person():
            for mark, text in zip(("Password: ", "y or n: "), typed, strict=False):
                seen.append(_until(leader, mark))
                os.write(leader, text.encode())

        given = os.fdopen(os.dup(follower), encoding="utf-8")
        with given, os.fdopen(follower, "w", encoding="utf-8") as shown:
            typing = threading.Thread(target=person)
            typing.start()
            answer = asyncio.run(asyncio.wait_for(Console(given, shown).secret(request), SECONDS))
            typing.join(SECONDS)
            seen.append(_rest(leader))
            echoes = bool(termios.tcgetattr(given)[3] & termios.ECHO)
        os.close(leader)
        return answer, "".join(seen), echoes

    return run


@pytest.mark.proves("sudo-password")
def test_a_secret_is_not_shown_as_it_is_typed(told_secret):
    answer, seen, echoes = told_secret("s3cret word\n", "n\n")
    assert (answer.value, answer.lasts, echoes) == ("s3cret word", False, True)
    assert "s3cret" not in seen
    assert "s3cret" not in repr(answer)
    assert "hermes asks for the password for sudo" in seen
    assert "sudo id" in seen


def test_a_secret_is_kept_if_the_person_says_so(told_secret):
    answer, seen, _ = told_secret("word\n", "Y\n", was_wrong=True)
    assert answer.lasts
    assert "That was wrong; try again." in seen


@pytest.mark.parametrize("typed", [("\n",), ("half\x03",), ("word\n", "\x03")])
def test_nothing_and_an_interrupt_give_no_secret(told_secret, typed):
    assert told_secret(*typed)[0] is None
