"""An old text is found in one place or refused, and the new one fits that place."""

import os

import pytest

CODE = """\
class Basket:
    def total(self, rate):
        price = self.price()
        return price + tax_rate

    def price(self):
        return sum(item.price for item in self.items)
"""


def test_an_exact_text_is_replaced_and_the_answer_shows_it(folder):
    path = folder.write("a.py", CODE)
    answer = folder.replace("a.py", "price + tax_rate", "price * rate")
    assert folder.read("a.py").decode() == CODE.replace("price + tax_rate", "price * rate")
    assert answer == {
        "path": str(path),
        "strategy": "exact",
        "replacements": 1,
        "lines": "4",
        "diff": "--- a/a.py\n+++ b/a.py\n@@ -1,7 +1,7 @@\n class Basket:\n"
        "     def total(self, rate):\n         price = self.price()\n"
        "-        return price + tax_rate\n+        return price * rate\n \n"
        "     def price(self):\n         return sum(item.price for item in self.items)",
    }


@pytest.mark.proves("patch-right-place")
def test_a_text_with_another_word_is_refused_and_the_nearest_places_are_shown(folder):
    folder.write("a.py", CODE)
    error = folder.refusal(folder.replace, "a.py", "return price + tax_amt", "return 0")
    assert (error.code, error.message) == (
        "no_match",
        "a.py: old_string is not in the file; nothing was changed",
    )
    assert error.extra["nearest"][0] == {
        "lines": "4-4",
        "difference": "- return price + tax_amt\n+         return price + tax_rate",
    }
    assert len(error.extra["nearest"]) <= 3


@pytest.mark.proves("patch-right-place")
def test_a_text_that_is_there_twice_is_refused_with_all_its_lines(folder):
    folder.write("a.txt", "x\ny\nx\n")
    error = folder.refusal(folder.replace, "a.txt", "x\n", "z\n")
    assert error.code == "ambiguous"
    assert error.extra["places"] == [{"line": 1, "text": "x"}, {"line": 3, "text": "x"}]


@pytest.mark.proves("patch-right-place")
@pytest.mark.parametrize("old", ["x\nx\n", "x\\nx\\n"])
def test_places_that_overlap_are_two(folder, old):
    folder.write("a.txt", "x\nx\nx\n")
    assert folder.refusal(folder.replace, "a.txt", old, "x\ny\n").code == "ambiguous"


def test_replace_all_changes_every_place(folder):
    folder.write("a.txt", "x\ny\nx\n")
    answer = folder.replace("a.txt", "x", "zz", replace_all=True)
    assert folder.read("a.txt") == b"zz\ny\nzz\n"
    assert (answer["replacements"], answer["lines"]) == (2, "1, 3")


def test_replace_all_changes_any_number_of_places(folder):
    folder.write("a.txt", "x y\n" * 3_000 + "x" * 9_000)
    assert folder.replace("a.txt", "x", "z", replace_all=True)["replacements"] == 12_000
    assert folder.read("a.txt") == b"z y\n" * 3_000 + b"z" * 9_000


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [("", "x", "invalid_arguments"), ("x", "x", "no_change"), ("q", "x\n", "already_done")],
)
def test_what_cannot_be_meant_is_answered_with_help(folder, old, new, code):
    folder.write("a.txt", "x\n")
    error = folder.refusal(folder.replace, "a.txt", old, new)
    assert error.code == code
    assert error.hint


def test_a_repeated_insertion_is_done_and_noted(folder):
    folder.write("a.txt", "a\n")
    folder.replace("a.txt", "a\n", "a\nb\n")
    answer = folder.replace("a.txt", "a\n", "a\nb\n")
    assert folder.read("a.txt") == b"a\nb\nb\n"
    assert "twice" in answer["note"]


FILE = 'def f(a):\n    if a:\n        x = "one"\n        y = 2\n    return a\n'


@pytest.mark.parametrize(
    ("old", "new", "strategy"),
    [
        ("        x = “one”\n", "        x = “two”\n", "punctuation"),
        (
            '        x = "one"  \n        y = 2   \n',
            '        x = "two"\n        y = 2\n',
            "trailing_whitespace",
        ),
        ('x = "one"  \ny = 2\n', 'x = "two"  \ny = 2\n', "indentation"),
        ('\t\tx = "one"\n\t\ty = 2\n', '\t\tx = "two"\n\t\ty = 2\n', "indentation"),
        ('              x = "one"\n', '              x = "two"\n', "indentation"),
        ('        x  =  "one"\n', '        x  =  "two"\n', "whitespace"),
        ('x = "one"\n        y = 2 \n', 'x = "two"\n        y = 2 \n', "trimmed_boundary"),
        (
            '\n\n        x = "one"\n        y = 2\n',
            '\n\n        x = "two"\n        y = 2\n',
            "trimmed_boundary",
        ),
        (
            '        x = "one"\n\n        y = 2\n',
            '        x = "two"\n\n        y = 2\n',
            "block_anchor",
        ),
        (
            '        x = \\"one\\"\\n        y = 2',
            '        x = \\"two\\"\\n        y = 2',
            "escapes",
        ),
        (
            '3|        x = "one"\n4|        y = 2',
            '3|        x = "two"\n4|        y = 2',
            "line_numbers",
        ),
    ],
)
def test_a_sloppy_text_is_found_and_the_new_one_is_put_right(folder, old, new, strategy):
    folder.write("a.py", FILE)
    answer = folder.replace("a.py", old, new)
    assert folder.read("a.py").decode() == FILE.replace("one", "two")
    assert answer["strategy"] == strategy


def test_new_lines_are_indented_as_the_file_is(folder):
    folder.write("a.go", "func f() {\n\tif a {\n\t\tx()\n\t}\n}\n")
    folder.replace(
        "a.go",
        "    if a {\n        x()\n    }",
        "    if a {\n        if b {\n            x()\n        }\n    }",
    )
    assert folder.read("a.go") == b"func f() {\n\tif a {\n\t\tif b {\n\t\t\tx()\n\t\t}\n\t}\n}\n"


def test_new_lines_that_have_the_indentation_of_the_file_keep_it(folder):
    folder.write("a.py", FILE)
    folder.replace(
        "a.py", 'x = "one"\ny = 2  ', '        x = "two"\n        if x:\n            y = 2'
    )
    assert folder.read("a.py") == (
        b'def f(a):\n    if a:\n        x = "two"\n        if x:\n            y = 2\n    return a\n'
    )


@pytest.mark.proves("patch-right-place")
def test_it_is_refused_when_nothing_tells_how_new_lines_are_indented(folder):
    folder.write("a.py", "def f():\n    if a:\n        foo()\n")
    error = folder.refusal(folder.replace, "a.py", "      foo()  ", "          bar()\n   baz()")
    assert (error.code, "indented" in error.message) == ("no_match", True)


def test_a_part_of_a_line_is_found_however_it_is_spaced(folder):
    folder.write("a.py", "result = compute(first, 'x')  # why\n")
    answer = folder.replace("a.py", "compute( first,'x' )", "compute( second,'x' )")
    assert folder.read("a.py") == b"result = compute(second, 'x')  # why\n"
    assert answer["strategy"] == "fragment"


@pytest.mark.proves("patch-right-place")
def test_a_line_is_not_taken_for_a_part_of_another(folder):
    folder.write("a.py", "x = compute(first) + 1\n")
    error = folder.refusal(folder.replace, "a.py", "    compute(first)  ", "    compute(second)")
    assert error.code == "no_match"


@pytest.mark.proves("patch-right-place")
def test_it_is_refused_when_a_line_could_be_kept_or_moved(folder):
    folder.write("a.py", "    with a:\n        one()\n        two()\n")
    error = folder.refusal(
        folder.replace,
        "a.py",
        "        with a:\n            one()\n            two()",
        "        one()\n        two()",
    )
    assert "indented" in error.message


def test_a_new_line_in_the_place_of_a_blank_one_is_indented(folder):
    folder.write("a.py", "class A:\n    one()\n\n    two()\n    three()\n")
    folder.replace("a.py", "one()\n\ntwo()  \nthree()", "one()\nhalf()\ntwo()\nthree()")
    assert folder.read("a.py") == b"class A:\n    one()\n    half()\n    two()\n    three()\n"


@pytest.mark.proves("patch-right-place")
def test_lines_of_the_same_words_in_another_nesting_are_no_match(folder):
    folder.write("a.py", "if a:\n    b()\n    c()\n")
    error = folder.refusal(folder.replace, "a.py", "if a:\n    b()\nc()", "if a:\n    d()\nc()")
    assert error.code == "no_match"


@pytest.mark.proves("patch-right-place")
def test_a_sloppy_text_that_fits_two_places_is_refused(folder):
    folder.write("a.py", "def f():\n    return 1\n\n\nclass A:\n    def g():\n        return 1\n")
    error = folder.refusal(folder.replace, "a.py", "\treturn 1", "\treturn 2")
    assert [place["line"] for place in error.extra["places"]] == [2, 7]


@pytest.mark.proves("patch-right-place")
def test_an_escaped_line_end_that_could_be_two_things_is_refused(folder):
    folder.write("a.py", "a = 1\nb = 2\n")
    error = folder.refusal(folder.replace, "a.py", "a = 1\\nb = 2", 'a = 1\\nprint("x\\n")')
    assert (error.code, "line end" in error.message) == ("no_match", True)


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (r'p("a\n")|b = 1', r'p("a\n")\nb = 1', r'p("a\n")\nb = 2', r'p("a\n")|b = 2'),
        (r'p("a\n")|b = 1', r'p("a\n")\nb = 1', r'p("aa\n")\nc()\nb = 1', r'p("aa\n")|c()|b = 1'),
        (r"a \|b = 1", r"a \\nb = 1", r"a \\nb = 2", r"a \|b = 2"),
        (r"a = 1|b = 1", r"a = 1\nb = 1", r"a = 1\n\tb = \"2\"", 'a = 1|\tb = "2"'),
        (r"x(/\r?\n/)|b = 1", r"x(/\r?\n/)\nb = 1", r"x(/\r?\n/)\nb = 2", r"x(/\r?\n/)|b = 2"),
        (r"a = 'x\n'|b = 1", r"a = 'x\n'\nb = 1", r"c()\nb = 1", "c()|b = 1"),
        ("Use|it", r"Use\nit", r"Use\n```sh\nrun\n```\nit", "Use|```sh|run|```|it"),
        (
            "a|b",
            r"a\nb",
            r"a\nfn f<'x>(p: P<'x>, q: &'x T) {\nb",
            "a|fn f<'x>(p: P<'x>, q: &'x T) {|b",
        ),
        ("# don't|b = 1", r"# don't\nb = 1", r"# don't ever\nb = 1", "# don't ever|b = 1"),
    ],
)
def test_escapes_mean_what_they_mean_in_the_file(folder, before, old, new, after):
    folder.write("a.py", before.replace("|", "\n"))
    folder.replace("a.py", old, new)
    assert folder.read("a.py").decode() == after.replace("|", "\n")


@pytest.mark.proves("patch-bytes")
@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"caf\xe9\nx = 1\n", "x = 1", "x = 'n\u00e9'", b"caf\xe9\nx = 'n\xe9'\n"),
        (b"a\r\nb\r\nc\r\n", "a\nb\n", "a\nB\nB\n", b"a\r\nB\r\nB\r\nc\r\n"),
        (b"a\r\nb\nc\r\n", "b\nc", "b\nd\nc", b"a\r\nb\nd\r\nc\r\n"),
        (b"\xef\xbb\xbfa\nb", "b", "c", b"\xef\xbb\xbfa\nc"),
        (b"a\nb", "b  ", "c", b"a\nc"),
        ("﻿a\nü\n".encode("utf-16-le"), "ü", "ö", "﻿a\nö\n".encode("utf-16-le")),
        (b"a\x0cb\n\x0bc\n", "c", "d", b"a\x0cb\n\x0bd\n"),
    ],
)
def test_all_other_bytes_stay(folder, before, old, new, after):
    folder.write("a.txt", before)
    folder.replace("a.txt", old, new)
    assert folder.read("a.txt") == after


@pytest.mark.proves("patch-bytes")
def test_a_character_that_the_encoding_lacks_is_refused(folder):
    folder.write("a.txt", b"caf\xe9\nx\n")
    error = folder.refusal(folder.replace, "a.txt", "x", "✅")
    assert (error.code, "latin-1" in error.message) == ("encoding", True)


def test_a_binary_file_is_refused(folder):
    folder.write("a.bin", b"\0\1\2x\xff\0")
    assert folder.refusal(folder.replace, "a.bin", "x", "y").code == "binary_file"


def test_a_linked_file_is_changed_through_the_link(folder):
    folder.write("a.txt", "x\n")
    os.symlink("a.txt", folder.root / "link")
    folder.replace("link", "x", "y")
    assert os.path.islink(folder.root / "link")
    assert folder.read("a.txt") == b"y\n"


def test_a_change_by_somebody_else_is_kept_and_noted(folder):
    path = folder.write("a.txt", "a\nb\n")
    work = folder.work()
    found, _ = work.disk.read("a.txt")
    work.log.saw("task", str(path), found.version, is_whole=True)
    folder.write("a.txt", "a\nb\nadded\n")
    answer = folder.replace("a.txt", "a\n", "A\n")
    assert folder.read("a.txt") == b"A\nb\nadded\n"
    assert "changed by somebody else" in answer["note"]
    assert "note" not in folder.replace("a.txt", "b\n", "B\n")


def test_only_new_syntax_errors_are_told(folder):
    folder.write("a.py", CODE)
    assert "lint" in folder.replace("a.py", "def price(self):", "def price(self:")
    assert "lint" not in folder.replace("a.py", "class Basket:", "class Bag:")


def test_the_difference_that_is_shown_is_bounded(folder):
    folder.write("a.txt", "x\n" * 3)
    answer = folder.replace("a.txt", "x\nx\nx\n", "y\n" * 10_000)
    assert len(answer["diff"].split("\n")) == 201
    assert answer["diff"].endswith("more lines")


def test_blank_lines_around_an_old_text_that_the_file_does_not_have_change_none(folder):
    folder.write("a.py", "one = 1\n\ntwo = 2\n\n\nthree = 3\n")
    answer = folder.replace("a.py", "\n\n\ntwo = 2\n\n", "two = 22\n")
    assert answer["strategy"] == "trimmed_boundary"
    assert folder.read("a.py") == b"one = 1\n\ntwo = 22\n\n\nthree = 3\n"
