"""Markdown is shown block by block as it comes, and nothing of it is lost."""

from io import StringIO

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from hermes.cli.chat.markdown import Blocks, Rendered

WORDS = st.text(alphabet="ab #*-`>|1.\n\t[]()_~", max_size=120)


def drawn(text, **options):
    console = Console(file=StringIO(), width=60, **options)
    console.print(Rendered(text))
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()).strip("\n")


@given(WORDS, st.lists(st.integers(min_value=1, max_value=10), min_size=1))
def test_no_character_is_lost_however_it_is_cut(text, cuts):
    blocks, given, at, turn = Blocks(), "", 0, 0
    while at < len(text):
        given += blocks.feed(text[at : at + cuts[turn % len(cuts)]])
        at += cuts[turn % len(cuts)]
        turn += 1
    assert given + blocks.finish() == text
    assert blocks.tail == ""


def test_a_block_is_whole_when_the_next_begins():
    blocks = Blocks()
    assert [blocks.feed(piece) for piece in ("one\n", "\n", "two", "\n")] == ["", "", "", "one\n\n"]
    assert blocks.tail == "two\n"


def test_code_is_not_cut_at_its_empty_lines():
    blocks = Blocks()
    assert blocks.feed("```py\na\n\nb\n") == ""
    assert blocks.feed("```\nafter\n") == "```py\na\n\nb\n```\n"


def test_headings_stand_at_the_left_and_tables_have_no_empty_edges():
    text = "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    assert drawn(text) == "Title\n\na  b\n────\n1  2"


def test_where_a_link_leads_is_written_beside_it():
    told = drawn("see [https://bank.example](https://evil.example)", force_terminal=True)
    assert "(https://evil.example)" in told.replace("\x1b[4;34m", "").replace("\x1b[0m", "")
    assert "\x1b]8" not in told


def test_code_can_be_copied_from_the_screen():
    assert drawn("```python\ndef f():\n    pass\n```\n") == "  def f():\n      pass"
