"""Commands that no shell could read are refused before anything runs."""

import pytest

from hermes.environments.contract import Command, Refused
from hermes.environments.sound import refuse_unreadable


@pytest.mark.parametrize(
    "command",
    [
        Command("a\0b"),
        Command("echo \ud800"),
        Command("pwd", cwd="/a\0b"),
        Command("x", env={"A": "\0"}),
        Command("x", env={"A": "\udfff\ud800"}),
        Command("x", env={"A B": "1"}),
        Command("x", env={"": "1"}),
        Command("x", env={"é": "1"}),
        Command("x", env={"A\n": "1"}),
        Command("x", unset=("a; rm -rf /",)),
    ],
)
def test_what_cannot_be_read_is_refused(command):
    with pytest.raises(Refused) as refused:
        refuse_unreadable(command)
    assert refused.value.message


def test_what_a_shell_can_read_is_let_through():
    refuse_unreadable(Command("echo 'ü\n\udcff'", cwd="/ä b", env={"_A1": "\n'\""}, unset=("B",)))
