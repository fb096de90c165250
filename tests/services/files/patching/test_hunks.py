"""Hunks whose numbers, quotes or context say little: placed where it is clear, else refused."""

import pytest

HEAD = "--- a/a.py\n+++ b/a.py\n"
CODE = "one = 1\n\ntwo = 2\n\nthree = 3\n"


@pytest.mark.parametrize("blank", [" ", ""])
@pytest.mark.parametrize("numbers", ["-1,1 +1,1", "-1 +1", "-1,2 +1,2"])
def test_a_hunk_goes_on_below_a_blank_line_though_its_numbers_say_less(folder, numbers, blank):
    folder.write("a.py", CODE)
    folder.patch(f"{HEAD}@@ {numbers} @@\n one = 1\n{blank}\n-two = 2\n+two = 22\n{blank}\n")
    assert folder.read("a.py").decode() == CODE.replace("two = 2", "two = 22")


def test_what_is_written_below_a_diff_is_no_part_of_it(folder):
    folder.write("a.py", CODE)
    folder.patch(f"{HEAD}@@ -1,1 +1,1 @@\n-one = 1\n+one = 11\n\nThat is all.\n-- \n2.39\n")
    assert folder.read("a.py").decode() == CODE.replace("one = 1", "one = 11")


def test_a_line_with_both_kinds_of_quotes_that_is_written_as_it_is_is_no_doubt(folder):
    folder.write("a.js", "name: 'п\u2019ять',\nlast: 'ok'  \n")
    folder.patch(
        "*** Begin Patch\n*** Update File: a.js\n@@\n name: 'п\u2019ять',\n"
        "+more: 'м\u2019яч',\n last: 'ok'\n*** End Patch"
    )
    assert folder.read("a.js").decode() == "name: 'п\u2019ять',\nmore: 'м\u2019яч',\nlast: 'ok'  \n"


def test_curly_quotes_of_one_kind_are_plain_beside_plain_ones_of_the_other(folder):
    folder.write("a.py", "a = \"x\"\nb = 'y'\n")
    folder.replace("a.py", "a = “x”\nb = 'y'", "a = “x”\nc = “it's”\nb = 'y'")
    assert folder.read("a.py") == b'a = "x"\nc = "it\'s"\nb = \'y\'\n'


@pytest.mark.proves("patch-right-place")
def test_blank_lines_alone_are_no_place(folder):
    folder.write("a.py", CODE)
    error = folder.refusal(folder.patch, f"{HEAD}@@ -2,2 +2,3 @@\n \n+x = 1\n \n")
    assert (error.code, "blank lines" in error.message) == ("ambiguous", True)


@pytest.mark.proves("patch-right-place")
def test_a_hunk_that_may_be_anywhere_down_to_the_end_is_refused_with_its_places(folder):
    folder.write("a.py", "x = 1\ny = 2\nx = 1\n")
    error = folder.refusal(
        folder.patch,
        "*** Begin Patch\n*** Update File: a.py\n@@\n x = 1\n+z = 3\n*** End Patch",
    )
    assert [place["line"] for place in error.extra["places"]] == [1, 3]
