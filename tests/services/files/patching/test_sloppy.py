"""Texts that are written otherwise than in the file: put right where it is clear, else refused."""

import pytest

from hermes.services.files.patching.finding import Wanted, find_edits

METHOD = (
    "class A:\n    def f(self):\n        one()\n        two()\n\n    def g(self):\n        pass\n"
)


def test_a_line_of_a_hundred_thousand_words_is_brought_into_the_style_of_the_file_at_once(folder):
    line = "x = [" + ", ".join(f'"word {number}"' for number in range(50_000)) + "]"
    folder.write("a.py", f"# one\n{line}\n")
    sloppy = line.replace('"', "”")
    folder.replace("a.py", sloppy, sloppy.replace("word 7”", "other”") + "  # changed")
    changed = line.replace('word 7"', 'other"') + "  # changed"
    assert folder.read("a.py").decode() == f"# one\n{changed}\n"


def test_a_very_long_escaped_text_is_answered_at_once(folder):
    line = "{" + ",".join(f'"key {number}":"a"' for number in range(20_000)) + "}"
    folder.write("a.json", line + "\n")
    sloppy = line.replace('"', '\\"')
    assert folder.refusal(folder.replace, "a.json", sloppy + "?", "x").code == "no_match"
    folder.replace("a.json", sloppy, sloppy.replace("key 7\\", "other\\"))
    assert folder.read("a.json").decode() == line.replace('key 7"', 'other"') + "\n"


@pytest.mark.parametrize("space", ["\u00a0", "\u202f", "\u2007"])
def test_spaces_that_do_not_break_become_plain_as_in_the_file(folder, space):
    folder.write("a.py", "from typing import Dict, Set\nx = 1\n")
    old = "from typing import Dict, Set\nx = 1".replace(" ", space)
    new = "from typing import Any, Dict, Set\nif x:\n    y = 2\nx = 1".replace(" ", space)
    folder.replace("a.py", old, new.replace(space * 4, "    "))
    assert folder.read("a.py") == (b"from typing import Any, Dict, Set\nif x:\n    y = 2\nx = 1\n")


def test_spaces_that_do_not_break_stay_where_the_file_has_them(folder):
    folder.write("a.md", "10\u00a0km far\nnext one\n")
    folder.replace("a.md", "10 km far\nnext one", "10 km far off\nnext one")
    assert folder.read("a.md").decode() == "10\u00a0km far off\nnext one\n"


def test_an_indentation_of_spaces_that_do_not_break_is_a_plain_one(folder):
    folder.write("a.py", METHOD)
    folder.replace(
        "a.py",
        "\xa0" * 8 + "one()\n" + "\xa0" * 8 + "two()",
        "\xa0" * 8 + "if a:\n" + "\xa0" * 12 + "one()",
    )
    assert folder.read("a.py").decode() == METHOD.replace(
        "        one()\n        two()", "        if a:\n            one()"
    )


def test_dots_become_three_as_in_the_file(folder):
    folder.write("a.py", "def f(): ...\n\nx = 1\n")
    folder.replace("a.py", "def f(): …\n\nx = 1", "def f(): …\ndef g(): …\n\nx = 1")
    assert folder.read("a.py") == b"def f(): ...\ndef g(): ...\n\nx = 1\n"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ('p("a")|b = 1', 'p(\\"a\\")|b = 1', 'p(\\"c\\")|b = 1', 'p("c")|b = 1'),
        ('p("a")|b = 1', 'p(\\"a\\")|b = 1', 'p(\\"c\\n\\")|b = 1', 'p("c\\n")|b = 1'),
        ("p('a')|b = 1", "p(\\'a\\')|b = 1", "p(\\'c\\')|d(\\'e\\')|b = 1", "p('c')|d('e')|b = 1"),
        (r"/\d/|b = 1", r"/\\d/|b = 1|", r"/\\d+/|b = 1|", r"/\d+/|b = 1"),
        (
            r'p("a\n")|b = 1',
            r"p(\"a\\n\")|b = 1",
            r"p(\"a\\n\", \"\\t\")|b = 1",
            r'p("a\n", "\t")|b = 1',
        ),
        ("a {|\tb|}", r"a {|\tb|}", r"a {|\tb|\tc|}", "a {|\tb|\tc|}"),
        ('p("a")|b = 1', 'p(\\"a\\")|b = 1', 'p("c")|b = 1', 'p("c")|b = 1'),
    ],
)
def test_only_the_kinds_of_escapes_that_were_written_are_taken_back(
    folder, before, old, new, after
):
    folder.write("a.txt", f"# one\n{before}\n".replace("|", "\n"))
    answer = folder.replace("a.txt", old.replace("|", "\n"), new.replace("|", "\n"))
    assert folder.read("a.txt").decode() == f"# one\n{after}\n".replace("|", "\n")
    assert answer["strategy"] == "escapes"


@pytest.mark.proves("patch-right-place")
@pytest.mark.parametrize("new", [r"p(\"a\\b\")", r"p(\"a\tb\")", r"p(\"it\'s\")"])
def test_an_escape_of_another_kind_that_could_be_two_things_is_refused(folder, new):
    folder.write("a.py", 'p("a")\nb = 1\n')
    error = folder.refusal(folder.replace, "a.py", 'p(\\"a\\")\nb = 1', f"{new}\nb = 1")
    assert "backslash" in error.message


def test_line_ends_are_taken_back_beside_an_apostrophe(folder):
    folder.write("a.py", "a = 1\nb = 2\n")
    folder.replace("a.py", "a = 1\\nb = 2", "a = 1\\n# it shouldn't be\\nb = 2")
    assert folder.read("a.py") == b"a = 1\n# it shouldn't be\nb = 2\n"


@pytest.mark.parametrize("gutter", ["{}|", "{:6}|", "{:6}\t", "{:5}→", "{}: ", "{}:"])
def test_line_numbers_of_any_usual_form_are_taken_off(folder, gutter):
    folder.write("a.py", METHOD)
    old = f"{gutter.format(3)}        one()\n{gutter.format(4)}        two()"
    answer = folder.replace("a.py", old, old.replace("two", "three"))
    assert folder.read("a.py").decode() == METHOD.replace("two", "three")
    assert answer["strategy"] == "line_numbers"


@pytest.mark.proves("patch-right-place")
@pytest.mark.parametrize("gutter", ["{}|", "{}:"])
def test_numbers_in_new_lines_of_data_stay(folder, gutter):
    folder.write("a.txt", "log = (\n)\n")
    new = "log = (\n20:9: first\n30|second\n)"
    folder.replace("a.txt", f"{gutter.format(1)}log = (\n{gutter.format(2)})", new)
    assert folder.read("a.txt").decode() == f"{new}\n"


@pytest.mark.proves("patch-right-place")
def test_a_row_of_a_table_is_not_taken_for_the_same_value_in_another(folder):
    folder.write("a.txt", "2|apples\n3|pears\n")
    assert folder.refusal(folder.replace, "a.txt", "1|apples", "1|plums").code == "no_match"


@pytest.mark.parametrize("shift", [" ", "    ", "\t"])
def test_new_lines_that_are_less_indented_than_the_old_ones_are_moved_with_them(folder, shift):
    folder.write("a.py", METHOD)
    old = "        one()\n        two()"
    new = f"{old}\n\n    def h(self):\n        pass"

    def moved(text):
        return "\n".join(shift + line if line else line for line in text.split("\n"))

    folder.replace("a.py", moved(old), moved(new))
    assert folder.read("a.py").decode() == METHOD.replace(old, new)


def test_all_new_lines_tell_by_their_levels_how_they_are_indented(folder):
    folder.write("a.ts", "interface A {\n  a: string,\n  b: string\n}\n")
    folder.replace(
        "a.ts",
        "interface A {\n    a: string,\n    b: string\n}",
        "interface A<T> {\n    a: string;\n    b: string;\n    c: T;\n}",
    )
    assert folder.read("a.ts") == b"interface A<T> {\n  a: string;\n  b: string;\n  c: T;\n}\n"


def test_a_blank_line_that_the_file_fills_with_tabs_may_be_emptied(folder):
    folder.write("a.c", "f() {\n\tone();\n\t\n\ttwo();\n}\n")
    folder.replace("a.c", "    one();\n    \n    two();", "    one();\n\n    two();")
    assert folder.read("a.c") == b"f() {\n\tone();\n\n\ttwo();\n}\n"


@pytest.mark.parametrize("directive", ["#if PY_MAJOR_VERSION > 3", "#ifdef DEEP"])
def test_directives_at_the_margin_do_not_tell_how_other_lines_are_indented(folder, directive):
    folder.write("a.c", "int f() {\n    one();\n    two();\n}\n")
    old = "        one();\n        two();"
    new = f"    {directive}\n        more();\n        one();\n    #endif\n        two();"
    folder.replace("a.c", old, new)
    told = f"{directive}\n    more();\n    one();\n#endif\n    two();"
    assert folder.read("a.c").decode() == f"int f() {{\n{told}\n}}\n"


@pytest.mark.proves("patch-right-place")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    one()\n    two()", "    if a:\n      one()\n    two()"),
        ("    one()\n    two()", "    one()\n#if\n    two()\n  end"),
        ("    one()\n    two()", "    one()\n    if a:\n            b()\n    two()"),
    ],
)
def test_it_is_refused_when_lines_could_be_moved_or_written_in_another_unit(folder, old, new):
    folder.write("a.py", METHOD)
    assert "indented" in folder.refusal(folder.replace, "a.py", old, new).message


@pytest.mark.proves("patch-right-place")
def test_a_backslash_before_an_escaped_line_end_of_a_new_line_is_refused(folder):
    folder.write("a.py", "a = 1\nb = c\n")
    error = folder.refusal(folder.replace, "a.py", "a = 1\\nb = c", "a = 1\\nb = \\\\n    c")
    assert "backslash" in error.message


def test_a_text_that_begins_within_an_indentation_is_taken_as_whole_lines(folder):
    folder.write("a.css", "p {\n    margin: 0;\n}\n")
    folder.replace("a.css", "  margin: 0;\n}", "  margin: 0;\n  color: red;\n}")
    assert folder.read("a.css") == b"p {\n    margin: 0;\n    color: red;\n}\n"


@pytest.mark.proves("patch-right-place")
@pytest.mark.parametrize(
    ("text", "old", "lines"),
    [
        ("void eggs():\n    pass\n\neggs()\n", " eggs()", [1, 4]),
        ("a {\n\t\tx\n\n\t\t};\n}\nb {\n\tx\n\n\t}\n", "\n\t\t}", [4, 9]),
    ],
)
def test_a_part_of_a_line_that_is_also_a_whole_line_elsewhere_is_not_clear(
    folder, text, old, lines
):
    folder.write("a.txt", text)
    error = folder.refusal(folder.replace, "a.txt", old, f"{old} changed\n twice")
    assert error.code == "ambiguous"
    assert {place["line"] for place in error.extra["places"]} >= set(lines)


@pytest.mark.proves("patch-right-place")
def test_new_lines_below_one_without_its_indentation_are_refused_where_nothing_tells(folder):
    folder.write("a.py", METHOD)
    error = folder.refusal(folder.replace, "a.py", "two()", "two()\nthree()")
    assert "indented" in error.message
    folder.replace("a.py", "two()", "two()\n        three()")
    assert folder.read("a.py").decode() == METHOD.replace("two()", "two()\n        three()")


@pytest.mark.parametrize("more", ["", "\n        three()", "\n\n    def h(self):\n        pass"])
def test_a_new_line_with_the_indentation_of_the_file_is_not_indented_twice(folder, more):
    folder.write("a.py", METHOD)
    folder.replace("a.py", "two()", f"        twice(){more}")
    assert folder.read("a.py").decode() == METHOD.replace("two()", f"twice(){more}")


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("a = “x”\nb = 1", "a = “x”\n# it\u2019s\nb = 1", 'a = "x"\n# it\'s\nb = 1\nc-d - e\n'),
        (
            "b = 1\nc-d \u2013 e",
            "b = 1\nf-g \u2013 h\nc-d \u2013 e",
            'a = "x"\nb = 1\nf-g - h\nc-d - e\n',
        ),
    ],
)
def test_marks_become_plain_as_the_old_text_shows_it(folder, old, new, after):
    folder.write("a.txt", 'a = "x"\nb = 1\nc-d - e\n')
    folder.replace("a.txt", old, new)
    assert folder.read("a.txt").decode() == after


def test_a_line_end_that_was_taken_out_is_a_blank_line_fewer(folder):
    folder.write("a.txt", "one\ntwo\n\n\n")
    folder.replace("a.txt", "two \n \n", "two ")
    assert folder.read("a.txt") == b"one\ntwo\n"


def test_lines_of_white_space_stay_as_they_are_written(folder):
    text = "a {\n\tb\n    \n\tc\n\n\td\n}\n"
    edits = find_edits(text, Wanted("a", "b\n    \nc\n\nd ", "b\n    \nd "))
    assert [splice.text for splice in edits.splices] == ["\tb\n    \n\td\n"]


def test_three_sections_are_shown_though_only_one_has_a_line_of_the_text(folder):
    folder.write("a.py", "".join(f"def f{n}(a):\n    return compute(a, {n})\n\n" for n in range(9)))
    error = folder.refusal(folder.replace, "a.py", "def f4(a):\n    return compute(b, 4)", "x")
    assert len(error.extra["nearest"]) == 3
    assert error.extra["nearest"][0]["lines"] == "13-14"


def test_a_line_without_words_is_compared_by_its_letters(folder):
    folder.write("a.py", "x = 1\n\n(\n)\n")
    error = folder.refusal(folder.replace, "a.py", "x = 2", "x = 3")
    assert error.extra["nearest"] == [{"lines": "1-1", "difference": "- x = 2\n+ x = 1"}]


def test_only_a_text_as_the_file_has_it_is_said_to_be_replaceable_everywhere(folder):
    folder.write("a.py", "one = compute(1)\n" * 3)
    sloppy = folder.refusal(folder.replace, "a.py", "  one = compute(1)", "x", replace_all=True)
    exact = folder.refusal(folder.replace, "a.py", "one = compute(1)", "x")
    assert ("just as the file has it" in sloppy.hint, "use replace_all" in exact.hint) == (
        True,
    ) * 2
    assert "just as" not in exact.hint


def test_of_a_missing_file_the_nearest_name_is_told(folder):
    folder.write("notes.txt", "a\n")
    patch = "*** Begin Patch\n*** Update File: note.txt\n@@\n-a\n+b\n*** End Patch"
    for error in (
        folder.refusal(folder.replace, "note.txt", "a", "b"),
        folder.refusal(folder.patch, patch),
    ):
        assert (error.code, error.hint) == ("not_found", "Did you mean notes.txt?")
    folder.write("empty.txt", "")
    assert "write_file" in folder.refusal(folder.replace, "empty.txt", "a", "b").hint


@pytest.mark.proves("patch-right-place")
def test_a_mark_that_may_be_meant_is_refused_in_a_changed_line_as_in_a_new_one(folder):
    folder.write("a.py", "a = 'x'\nb = 1\n")
    error = folder.refusal(
        folder.replace,
        "a.py",
        "a = \u2018x\u2019\nb = 1",
        "a = \u2018x\u2019\nb = 1 + f(\u2018y\u2019, 'z')",
    )
    assert "curly" in error.message


@pytest.mark.proves("patch-right-place")
def test_quotes_of_another_kind_than_the_old_text_has_stay(folder):
    folder.write("a.py", 'a = "picture"\nb = "x"\n')
    folder.replace(
        "a.py",
        "a = \u201cpicture\u201d\nb = \u201cx\u201d",
        "a = \u201cthe \u00abclass\u00bb\u201d\nb = \u201cx\u201d",
    )
    assert folder.read("a.py").decode() == 'a = "the \u00abclass\u00bb"\nb = "x"\n'
