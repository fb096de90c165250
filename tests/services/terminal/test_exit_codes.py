"""Exit codes are explained where they mean something, and only there."""

import pytest

from hermes.services.terminal.exit_codes import meaning


@pytest.mark.parametrize(
    ("command", "code", "wanted"),
    [
        ("grep x file", 1, "no match; not an error"),
        ("cat f | grep x", 1, "no match; not an error"),
        ("cd d && rg x", 1, "no match; not an error"),
        ("LC_ALL=C /usr/bin/grep x f", 1, "no match; not an error"),
        ("sudo grep x f", 1, "no match; not an error"),
        ("diff a b", 1, "they differ; not an error"),
        ("[ -e x ]", 1, "the condition is false; not an error"),
        ("curl https://x", 6, "the host's name could not be resolved"),
        ("curl https://x", 7, "no connection to the host"),
        ("curl -f https://x", 22, "the server answered with an error status (400 or above)"),
        ("curl https://x", 28, "it took too long"),
        ("python3 -m pytest tests", 5, "no tests were found"),
        ("timeout 1 sleep 5", 124, "the time limit was reached"),
        ("anything", 124, "a time limit was reached"),
        ("./script", 126, "it was found but cannot be executed, or the folder is not there"),
        ("nothing", 127, "a command was not found"),
        ("anything", 128, "it was called wrongly"),
    ],
)
def test_a_code_that_means_something_is_explained(command, code, wanted):
    assert meaning(command, code) == wanted


@pytest.mark.parametrize(
    ("code", "name"), [(137, "KILL"), (143, "TERM"), (-11, "SEGV"), (130, "INT")]
)
def test_signals_are_named(code, name):
    assert meaning("anything", code).startswith(f"ended by the signal {name}")


@pytest.mark.parametrize(
    ("command", "code"),
    [("grep x f", 0), ("grep x f", 2), ("ls", 1), ("", 1), ("   ", 3), ("a | b |", 1), ("x", 255)],
)
def test_what_means_nothing_is_not_explained(command, code):
    assert meaning(command, code) is None


def test_the_program_that_decides_is_the_last_one():
    assert meaning("grep x f; ls", 1) is None
    assert meaning("ls; grep x f", 1) == "no match; not an error"
