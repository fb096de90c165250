"""The asking screen: everything a person must see, in any width, and nothing that deceives."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.text import escaped, hides
from hermes.cli.asking_screen import Look, choices, draw
from hermes.policy import deeds
from hermes.runtime.approvals import ApprovalRequest

COMMAND = "cd src && rm -rf ../../other && git push --force origin topic"


def request(command=COMMAND, **more):
    place = deeds.place("/home/me/app", ("/home/me/app",), "/home/me", "/home/me/.hermes")
    arguments = {"command": command}
    permissions = ("terminal:execute",)
    deed = deeds.deed_of(deeds.Asked(("terminal",), permissions, arguments, None, place))
    asked = ApprovalRequest(
        "terminal", arguments, permissions, "", "approval_required: danger:*", "t", "c"
    )
    reason = deed.findings[0].what if deed.findings else "a rule asks"
    return asked._replace(
        reason=reason, findings=deed.findings, deed=deed, cwd="/home/me/app", seconds=60, **more
    )


def test_a_person_sees_what_happens_where_why_and_the_call_itself():
    assert draw(request(user_task="tidy up"), Look(100)).lines == [
        "",
        "hermes asks: may terminal do this?",
        "  deletes ~/other, which lies in the home, outside the workspace "
        "(delete: cannot be undone)",
        "  overwrites history on the remote origin topic (history-rewrite: cannot be undone)",
        "  deletes  /home/me/other",
        "  why      rule approval_required: danger:*",
        "  tool     terminal (terminal:execute), for task t",
        "  in       /home/me/app",
        "  for      tidy up",
        "",
        "  command",
        "  | cd src && rm -rf ../../other && git push --force origin topic",
        "              ^^^^^^^^^^^^^^^^^^    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "",
    ]


def test_colour_takes_the_place_of_marks():
    lines = draw(request(), Look(100, has_colour=True)).lines
    assert not any("^^" in line for line in lines)
    assert "  | cd src && \033[1;31mrm -rf ../../other\033[0m && \033[1;31mgit push" in "\n".join(
        lines
    )


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width):
    long = request(f"rm -rf ../{'deep/' * 40}x && echo {'語' * 90}")
    screen = draw(long, Look(width))
    lines = [*screen.lines, *choices(long, Look(width), is_whole=screen.is_whole)]
    assert max(sum(2 if ord(c) > 0x2E80 else 1 for c in line) for line in lines) <= width


def test_the_raw_command_loses_nothing_to_the_width():
    screen = draw(request(), Look(40))
    rows = [line[4:] for line in screen.lines if line.startswith("  | ")]
    assert "".join(rows) == COMMAND and screen.is_whole


def test_other_arguments_are_shown_with_their_names():
    asked = ApprovalRequest("t", {"a": "x", "b": [1, "ü"]}, (), "because", "", "t", "c")
    lines = draw(asked, Look(60)).lines
    assert lines[2] == "  because"
    assert lines[-3:-1] == ["  | a: x", '  | b: [1, "ü"]']


@pytest.mark.parametrize("command", ["echo a\n" * 60, "x" * 9_000])
def test_a_call_that_is_too_long_to_show_cannot_be_approved_for_good(command):
    asked = request(command)
    screen = draw(asked, Look(80))
    assert not screen.is_whole and len(screen.lines) < 150
    told = "\n".join(choices(asked, Look(80), is_whole=screen.is_whole))
    assert "no 'always': not all of it fits on the screen" in told and "[a]" not in told


def test_the_reason_for_a_withheld_always_is_told():
    told = choices(request(withheld="it raises rights"), Look(80), is_whole=True)
    assert "  [-] no 'always': it raises rights" in told
    assert "  [a] always: writes a rule into config.yaml" in choices(
        request(), Look(80), is_whole=True
    )


HOSTILE = "rm x\x1b[2K\r\u202egpj\u200b\t\x07\u2066"


def test_what_hides_is_spelt_out():
    text = "\n".join(draw(request(HOSTILE), Look(120)).lines)
    assert "<U+001B>[2K<U+000D><U+202E>gpj<U+200B><U+0009><U+0007><U+2066>" in text
    assert hides(HOSTILE) and not hides("a\n\tb ü 語")


@given(st.text(), st.text(), st.integers(40, 120))
def test_nothing_on_the_screen_can_move_or_hide_anything(command, other, width):
    asked = request("true")._replace(
        tool=other, arguments={"command": command, other: other}, reason=other, user_task=other
    )
    for line in draw(asked, Look(width)).lines:
        assert line.isprintable()


@given(st.text())
def test_an_escaped_text_is_printable_and_tells_every_character(text):
    shown = escaped(text)
    assert all(char.isprintable() or char == "\n" for char in shown)
    back = re.sub("<U\\+([0-9A-F]{4,6})>", lambda found: chr(int(found[1], 16)), shown)
    assert back == text or "<U+" in text
