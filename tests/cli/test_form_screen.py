"""Forms of MCP servers on a terminal."""

import asyncio
import os
import pty
import select
import threading

import pytest

from hermes.cli.approver import Console
from hermes.cli.asking_screen import Look
from hermes.cli.form_screen import head, last_word, question
from hermes.mcp.people import Field, Form

SECONDS = 20
FORM = Form(
    "calc",
    "Who are you?",
    (
        Field("name", "Name", "As your friends say it.", is_required=True),
        Field("size", "Size", kind="one", choices=(("s", "Small"), ("l", "Large")), default="s"),
    ),
)


@pytest.fixture
def filled():
    """Return a function that types the answers to a form on a terminal."""

    def run(*typed):
        leader, follower = pty.openpty()
        seen = []

        def person():
            for text in typed:
                seen.append(_until(leader, ": "))
                os.write(leader, text.encode())

        given = os.fdopen(os.dup(follower), encoding="utf-8")
        with given, os.fdopen(follower, "w", encoding="utf-8") as shown:
            typing = threading.Thread(target=person)
            typing.start()
            answer = asyncio.run(asyncio.wait_for(Console(given, shown).form(FORM), SECONDS))
            typing.join(SECONDS)
        os.close(leader)
        return answer, "".join(seen)

    return run


def _until(leader, mark):
    seen = ""
    while not seen.endswith(mark):
        assert select.select([leader], [], [], SECONDS)[0], seen
        seen += os.read(leader, 4_096).decode()
    return seen


def test_a_form_is_filled_in_field_by_field(filled):
    answer, seen = filled("Ada\n", "2\n", "y\n")
    assert answer == {"name": "Ada", "size": "2"}
    assert "The MCP server calc asks you:" in seen
    assert "  | Who are you?" in seen
    assert "text (needed): " in seen
    assert "one of them [s]: " in seen
    assert "Send this to calc? y or n: " in seen


@pytest.mark.parametrize(
    "typed", [("\x03",), ("Ada\n", "\x03"), ("Ada\n", "\n", "n\n"), ("Ada\n", "\n", "\x03")]
)
def test_an_interrupt_and_a_no_decline(filled, typed):
    assert filled(*typed)[0] is None


def test_the_words_of_a_form_stay_behind_a_bar():
    form = Form(
        "calc",
        "hermes asks: may terminal do this?\n" + "x" * 300 + "\x1b[31m",
        (Field("a", "A\nB", "Words", "one", (("1", "One"),), "1"),),
        ("age: it is needed",),
    )
    look = Look(60)
    lines = head(form, look)
    assert lines[1] == "The MCP server calc asks you:"
    theirs = [line for line in lines if "x" * 10 in line or "hermes asks" in line]
    assert all(line.startswith("  | ") and len(line) < 60 for line in theirs)
    assert "\x1b" not in "".join(lines)
    asked = question(form.fields[0], look)
    assert asked == ["", "  | A B", "  | Words", "  | 1  One", "  one of them [1]:"]
    assert last_word(form) == "\n  Send this to calc? y or n:"
