import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.environments.contract import Screen
from hermes.services.terminal.screens import shown

SCREEN = Screen(20, 5)


def test_lines_that_were_only_printed_are_no_screen():
    assert shown(b"one\r\n\x1b[31mtwo\x1b[0m\r\n", SCREEN) == {}


@pytest.mark.parametrize("begin", [b"\x1b[H", b"\x1b[2J\x1b[H", b"\x1b[?1049h", b"\x1b[1;1H"])
def test_what_a_program_drew_is_shown_as_text(begin):
    drawn = shown(begin + b"top left\x1b[3;5Hmiddle\x1b[5;1Hend", SCREEN)
    assert drawn == {"screen": "top left\n\n    middle\n\nend", "cursor": [5, 4]}


def test_what_was_drawn_over_is_gone():
    drawn = shown(b"\x1b[2J\x1b[Hloading 10%\x1b[Hloading 99%\x1b[2;1H\xe2\x9c\x93 done", SCREEN)
    assert drawn["screen"] == "loading 99%\n✓ done"


def test_a_sequence_that_makes_no_sense_costs_only_itself():
    drawn = shown(b"\x1b[2J\x1b[Hfirst\x1b[3;4;5;6P\x1b[2;1Hsecond", SCREEN)
    assert drawn["screen"] == "first\nsecond"


PIECES = st.sampled_from(
    [b"\x1b[", b"\x1b", b";", b"?", b"H", b"P", b"@", b"r", b"99999", b"\xff", b"x", b"\x1b]0;"]
)


@given(st.lists(PIECES | st.binary(max_size=4), max_size=40))
def test_no_output_breaks_the_screen(pieces):
    drawn = shown(b"\x1b[H" + b"".join(pieces), SCREEN)
    assert len(drawn["screen"].split("\n")) <= SCREEN.rows
