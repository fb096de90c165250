import difflib
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import ToolError
from hermes.services.files.comparing import diff
from hermes.services.files.line_diffs import compare, unified


@pytest.fixture
def look(work, folder):
    def look(a, b, *, context=3, form="unified", **files):
        for name, data in files.items():
            (folder / name).write_bytes(data)
        return diff(work, a, b, context, form)

    return look


def test_two_files(look):
    answer = look("x", "y", context=1, x=b"1\n2\n3\n4\n", y=b"1\n2\nthree\n4\n")
    assert answer == {
        "identical": False, "added": 1, "removed": 1, "truncated": False,
        "diff": "--- x\n+++ y\n@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4",
    }  # fmt: skip


def test_a_file_and_a_text(look):
    answer = look("x", "1\n2\n", x=b"1\n2\n")
    assert answer == {
        "identical": True, "taken_as_text": ["b"], "added": 0, "removed": 0, "diff": "",
        "truncated": False,
    }  # fmt: skip


def test_a_name_that_is_no_file_is_a_text_and_that_is_told(look):
    assert look("nowhere.py", "b")["taken_as_text"] == ["a", "b"]
    assert look("nowhere.py", "b")["note"] == "There is no file nowhere.py; the name was compared."
    assert "note" not in look("a text", "1.2")
    assert look("x" * 5_000, "")["removed"] == 1


def test_columns_side_by_side(look):
    answer = look("x", "y", form="side_by_side", x=b"same\nold\ngone\n", y=b"same\nnew\n")
    rows = [" ".join(row.split()) for row in answer["diff"].split("\n")]
    assert rows == ["1 same 1 same", "2 old | 2 new", "3 gone <"]


def test_only_numbers(look):
    assert look("x", "y", form="stat", x=b"a\nb\n", y=b"b\nc\nd\n") == {
        "identical": False, "added": 2, "removed": 1,
    }  # fmt: skip


def test_binary_files_are_compared_by_size_and_hash(look):
    answer = look("x", "y", x=b"\0\1", y=b"\0\1\2")
    assert answer == {
        "identical": False, "binary": True,
        "a": {"size": 2, "sha256": hashlib.sha256(b"\0\1").hexdigest()},
        "b": {"size": 3, "sha256": hashlib.sha256(b"\0\1\2").hexdigest()},
    }  # fmt: skip


def test_the_same_text_in_other_bytes_is_not_identical(look):
    answer = look("x", "y", x="é\n".encode(), y="é\n".encode("utf-16"))
    assert (answer["identical"], answer["added"], answer["encodings"]) == (
        False, 0, {"a": "utf-8", "b": "utf-16-le with BOM"},
    )  # fmt: skip


def test_ends_of_lines_are_shown_where_they_differ(look):
    assert "-a␍\n+a" in look("x", "y", x=b"a\r\n", y=b"a\n")["diff"]
    assert "+a\n\\ No newline at end of file" in look("x", "y", x=b"a\n", y=b"a")["diff"]


def test_a_folder_cannot_be_compared(look, folder):
    with pytest.raises(ToolError, match="folder"):
        look(".", "x")


def test_very_different_large_files_are_answered_soon(look):
    many = b"".join(b"%d\n" % n for n in range(60_000))
    other = b"".join(b"x%d\n" % n for n in range(60_000))
    answer = look("x", "y", x=many, y=other)
    assert (answer["truncated"], answer["added"], "too many lines" in answer["note"]) == (
        True, 60_000, True,
    )  # fmt: skip
    assert len(answer["diff"]) <= 82_000


lines = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c c\n", "d\r\n"]), max_size=12).map("".join)


@given(lines, lines, st.integers(0, 3))
def test_a_diff_is_what_everybody_writes(first, second, context):
    ours = list(unified(compare(first, second), context))
    assert rebuilt(first, ours) == second
    if first == second:
        assert ours == []


def rebuilt(text, rows):
    """Apply a diff by the book."""
    source, made, at = text.split("\n"), [], 0
    for row in rows:
        if row.startswith("@@"):
            start = row.split()[1][1:].split(",")
            first = int(start[0]) - (0 if len(start) > 1 and start[1] == "0" else 1)
            made += source[at:first]
            at = first
        elif row[0] in " -":
            assert source[at].replace("\r", "␍") == row[1:]
            made += [source[at]] if row[0] == " " else []
            at += 1
        else:
            made.append(row[1:].replace("␍", "\r"))
    return "\n".join(made + source[at:])


def test_the_head_of_a_hunk_is_that_of_difflib():
    a, b = "1\n2\n3\n", "1\n2\n3\n4\n"
    theirs = list(difflib.unified_diff(a.splitlines(True), b.splitlines(True), lineterm="\n"))
    assert next(unified(compare(a, b), 3)) == theirs[2].strip()
