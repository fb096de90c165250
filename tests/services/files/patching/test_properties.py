"""Whatever the text: an exact edit is a plain replacement, a sloppy one the same or refused."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hermes.base.errors import ToolError
from hermes.services.files.patching.finding import Wanted, find_edits
from hermes.services.files.patching.lines import Lines
from hermes.services.files.patching.showing import difference, hunks, spliced

WORDS = st.sampled_from(["alpha", "beta", "x", "run", "foo_bar", "12"])
BODY = st.builds(
    "{}{}{}".format,
    WORDS,
    st.sampled_from([" = ", "(", ": ", ' = "it\'s" + ', " - "]),
    WORDS,
)
LINE = st.one_of(
    st.builds("{}{}".format, st.sampled_from(["", "    ", "        ", "            "]), BODY),
    st.just(""),
)
TEXT = st.text("abcd \t\n", max_size=12)
FILES = st.lists(LINE, min_size=3, max_size=14)


def edited(text, old, new):
    """Return a text as an edit leaves it; None when it is refused."""
    try:
        return spliced(text, find_edits(text, Wanted("f", old, new)).splices)
    except ToolError:
        return None


@pytest.mark.proves("patch-bytes")
@given(TEXT, TEXT.filter(bool), TEXT, st.text(max_size=8))
def test_an_exact_edit_is_a_plain_replacement(before, old, after, new):
    text = before + old + after
    is_once = text.find(old) == text.rfind(old)
    line_before = before.rpartition("\n")[2]
    assume(not line_before or line_before.strip())  # within an indentation it is taken by lines
    result = edited(text, old, new)
    is_whole = not line_before and after[:1] in ("", "\n")
    if is_whole or result is not None:
        assert result == (text.replace(old, new) if is_once else None)


@given(
    st.lists(
        st.tuples(st.text("ab", max_size=3), st.sampled_from(["\n", "\r\n", "\r"])), max_size=9
    ),
    st.text("ab", max_size=2),
)
def test_lines_and_their_ends_are_the_text(rows, rest):
    text = "".join(body + end for body, end in rows) + rest
    lines = Lines(text)
    assert "".join(map("".join, zip(lines.texts, lines.ends, strict=True))) == text
    assert lines.starts[-1] == len(text)


CURLY = {ord("'"): "\u2019", ord('"'): "\u201c", ord("-"): "\u2013"}


def spaced(lines, amount):
    return [line + " " * amount for line in lines]


def shifted(lines, amount):
    return [" " * amount + line if line else line for line in lines]


def tabbed(lines):
    return ["\t" * ((len(line) - len(line.lstrip())) // 4) + line.lstrip() for line in lines]


def curly(lines):
    return [line.translate(CURLY) for line in lines]


SLOPPY = {
    "trailing spaces": lambda lines, amount: spaced(lines, amount),
    "indented more": lambda lines, amount: shifted(lines, amount),
    "tabs for spaces": lambda lines, amount: tabbed(lines),
    "curly quotes": lambda lines, amount: curly(lines),
    "all at once": lambda lines, amount: spaced(curly(tabbed(lines)), amount),
}


@st.composite
def edits(draw):
    """Draw a file, a place in it, and lines for that place."""
    lines = draw(FILES)
    first = draw(st.integers(0, len(lines) - 1))
    last = draw(st.integers(first, min(len(lines) - 1, first + 5)))
    old = lines[first : last + 1]
    old[0], old[-1] = old[0] or "first", old[-1] or "last"
    lines[first : last + 1] = old
    new = list(old)
    at = draw(st.integers(0, len(old) - 1))
    kind = draw(st.sampled_from(["change", "insert", "remove"]))
    if kind == "insert":
        indent = new[at][: len(new[at]) - len(new[at].lstrip())]
        new.insert(at, f"{indent}delta(gamma)")
    elif kind == "remove" and len(old) > 1:
        del new[at]
    else:
        new[at] = (new[at] or "more") + " + gamma"
    return lines, first, old, new


@pytest.mark.proves("patch-right-place")
@given(edits(), st.sampled_from(sorted(SLOPPY)), st.integers(1, 9), st.booleans())
def test_a_sloppy_edit_changes_the_right_place_or_nothing(edit, form, amount, both):
    lines, first, old, new = edit
    make = SLOPPY[form]
    text = "\n".join(lines) + "\n"
    given_old = "\n".join(make(old, amount))
    given_new = "\n".join(make(new, amount) if both else new)
    if given_old in text or given_old == given_new:  # an exact edit, or none
        return
    wanted = "\n".join([*lines[:first], *new, *lines[first + len(old) :]]) + "\n"
    result = edited(text, given_old, given_new)
    assert result is None or words(result) == words(wanted)
    if result is not None and form in ("trailing spaces", "curly quotes"):
        assert result == wanted


def words(text):
    return [line.split() for line in text.split("\n")]


@pytest.mark.proves("patch-right-place")
@given(edits(), st.booleans())
def test_an_escaped_edit_changes_the_right_place_or_nothing(edit, both):
    lines, first, old, new = edit
    text = "\n".join(lines) + "\n"
    given_old = json.dumps("\n".join(old))[1:-1]
    given_new = json.dumps("\n".join(new))[1:-1] if both else "\n".join(new)
    if given_old in text or given_old == given_new:  # an exact edit, or none
        return
    wanted = "\n".join([*lines[:first], *new, *lines[first + len(old) :]]) + "\n"
    assert edited(text, given_old, given_new) in (None, wanted)


@pytest.mark.proves("patch-right-place")
@given(FILES, st.data())
def test_a_text_with_a_word_that_is_not_there_changes_nothing(lines, data):
    first = data.draw(st.integers(0, len(lines) - 1))
    old = lines[first : first + data.draw(st.integers(1, 6))]
    at = data.draw(st.integers(0, len(old) - 1))
    assume(old[at])
    old[at] = old[at].replace(old[at].split()[-1], "elsewhere")
    assert edited("\n".join(lines), "\n".join(old), "new") is None


@given(edits())
def test_the_difference_that_is_shown_makes_the_new_text(edit):
    lines, _, old, new = edit
    text = "\n".join(lines) + "\n"
    assume(text.find("\n".join(old)) == text.rfind("\n".join(old)))
    edits_ = find_edits(text, Wanted("f", "\n".join(old), "\n".join(new)))
    shown = difference("f", text, hunks(text, edits_.splices), room=10_000).split("\n")[2:]
    removed = [row[1:] for row in shown if row.startswith("-")]
    added = [row[1:] for row in shown if row.startswith("+")]
    kept = [row[1:] for row in shown if row.startswith((" ", "-"))]
    assert all(row in lines for row in kept)
    assert len(added) - len(removed) == len(new) - len(old)
