"""Texts that are written otherwise than in the file: put right where it is clear, else refused."""

import pytest

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
