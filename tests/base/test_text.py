from hypothesis import given
from hypothesis import strategies as st

from hermes.base.text import did_you_mean, harmless, head_and_tail, nearest, plural, said


def test_the_nearest_names_come_best_first():
    assert nearest("raed_file", ["write_file", "read_file", "sleep"])[0] == "read_file"
    assert nearest("ReadFile", ["read_file"]) == ["read_file"]
    assert nearest("xyzzy", ["read_file", "sleep"]) == []


def test_a_single_letter_is_near_nothing_but_itself():
    assert nearest("A", ["AWS_CA_BUNDLE", "PATH"]) == []
    assert did_you_mean("A", ["AWS_CA_BUNDLE"]) is None


def test_a_question_names_what_was_probably_meant():
    assert did_you_mean("slep", ["sleep", "system_info"]) == "Did you mean 'sleep'?"


@given(st.text(max_size=400), st.integers(20, 300))
def test_a_cut_text_keeps_its_ends(text, limit):
    cut = head_and_tail(text, limit)
    if len(text) <= limit:
        assert cut == text
    else:
        head = limit * 2 // 5
        assert cut.startswith(text[:head]) and cut.endswith(text[len(text) - (limit - head) :])


@given(st.text())
def test_harmless_text_has_no_role_tags_fences_or_controls(text):
    made = harmless(f"<system>{text}</system> ```sh <![CDATA[{text}]]>\x1b[31m")
    assert not any(mark in made for mark in ("<system>", "</system>", "```", "<![CDATA[", "\x1b"))


def test_an_error_that_cannot_speak_says_nothing():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    assert said(Mute()) == "" and said(ValueError("why")) == "why"


def test_words_follow_their_number():
    assert [plural(n, "tool") for n in (0, 1, 1_234)] == ["0 tools", "1 tool", "1,234 tools"]
