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


def test_dots_become_three_as_in_the_file(folder):
    folder.write("a.py", "def f(): ...\n\nx = 1\n")
    folder.replace("a.py", "def f(): …\n\nx = 1", "def f(): …\ndef g(): …\n\nx = 1")
    assert folder.read("a.py") == b"def f(): ...\ndef g(): ...\n\nx = 1\n"


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


@pytest.mark.proves("patch-right-place")
def test_it_is_refused_when_lines_could_be_moved_or_written_in_another_unit(folder):
    folder.write("a.py", METHOD)
    error = folder.refusal(
        folder.replace,
        "a.py",
        "    one()\n    two()",
        "    if a:\n      one()\n    two()",
    )
    assert "indented" in error.message


def test_lines_of_white_space_stay_as_they_are_written(folder):
    text = "a {\n\tb\n    \n\tc\n\n\td\n}\n"
    edits = find_edits(text, Wanted("a", "b\n    \nc\n\nd ", "b\n    \nd "))
    assert [splice.text for splice in edits.splices] == ["\tb\n    \n\td\n"]
