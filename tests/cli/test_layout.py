import itertools

from hypothesis import given
from hypothesis import strategies as st

from hermes.cli.layout import filled, pairs, wrapped

WORDS = st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=30)


@given(WORDS, st.integers(min_value=12, max_value=60))
def test_lines_break_between_words_and_fit_the_width(words, width):
    lines = filled(words, width)
    assert " ".join(lines).split() == words
    assert all(len(line) <= width for line in lines)


@given(WORDS, st.integers(min_value=20, max_value=60))
def test_a_line_is_broken_only_when_the_next_word_does_not_fit(words, width):
    lines = filled(words, width, rest="    ")
    for line, after in itertools.pairwise(lines):
        assert len(line) + 1 + len(after.split()[0]) > width


def test_a_word_longer_than_the_width_stays_whole():
    assert filled(["a", "b" * 30, "c"], 10) == ["a", "b" * 30, "c"]


def test_parts_with_spaces_are_not_broken():
    assert filled(["[--json OBJECT]", "[--stdin]"], 20, first="Usage: x ", rest="  ") == [
        "Usage: x [--json OBJECT]",
        "  [--stdin]",
    ]


def test_the_lines_of_a_text_and_their_indents_stay():
    text = "two problems\n  first: it is wrong\nend"
    assert wrapped(text, 14, indent="  ") == ["two problems", "  first: it is", "    wrong", "end"]


def test_names_stand_beside_or_above_what_they_mean():
    rows = [("--json", "Print JSON."), ("-h", "Show this help and nothing else.")]
    assert list(pairs(rows, 36, left=6)) == [
        "  --json  Print JSON.",
        "  -h      Show this help and nothing",
        "          else.",
    ]
    assert list(pairs(rows, 30, left=6))[:2] == ["  --json", "      Print JSON."]
