"""Nothing that a model or a tool says moves a person's cursor or hides from their eyes."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.cli.chat.safe import one_line, safe


@pytest.mark.proves("chat-terminal-safe")
@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain text, é 漢字 👩\u200d💻", "plain text, é 漢字 👩\u200d💻"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("\x9b2J", "<U+009B>2J"),
        ("over\rwritten", "over␍written"),
        ("dos\r\nline", "dos\nline"),
        ("\x7f", "␡"),
        ("abc\u202edcba", "abc<U+202E>dcba"),
        ("un\u200bseen", "un<U+200B>seen"),
        ("half \ud83d", "half \ufffd"),
        ("next\u2028line", "next\nline"),
        ("tag \U000e0041", "tag <U+E0041>"),
    ],
)
def test_controls_become_pictures_of_themselves(given, shown):
    assert safe(given) == shown


@given(st.text())
def test_no_text_leaves_a_control_behind(text):
    shown = safe(text)
    controls = {char for char in shown if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")}
    assert controls <= {"\n", "\t"}
    assert safe(shown) == shown
    shown.encode("utf-8")


@given(st.text(), st.integers(min_value=1, max_value=80))
def test_one_line_is_one_line_and_no_longer_than_asked(text, limit):
    line = one_line(text, limit)
    assert len(line) <= limit and "\n" not in line


def test_what_is_cut_shows_that_it_is():
    assert one_line("word " * 10, 12) == "word word w…"
