import fnmatch
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.environments.inside.globs import any_case, choices, fitting

names = st.text("ab.-", min_size=1, max_size=4).filter(lambda name: name.strip("."))
paths = st.lists(names, min_size=1, max_size=4).map("/".join)


@pytest.mark.parametrize(
    ("pattern", "fit", "others"),
    [
        ("*.py", ["a.py", "d/e/a.py", ".py"], ["a.pyc", "a.py/b"]),
        ("config.py", ["config.py", "d/config.py"], ["myconfig.py", "config.pyx"]),
        ("src/deep/*.py", ["src/deep/a.py"], ["src/deep/er/a.py", "x/src/deep/a.py", "src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["a.py", "src/a.md"]),
        ("**/test_*", ["test_a", "x/test_a"], ["atest_"]),
        ("src/**", ["src/a", "src/b/c"], ["src", "other/src/a"]),
        ("src/", ["src/a", "src/b/c"], ["src"]),
        ("./a/*", ["a/b"], ["b", "a/b/c"]),
        ("/a", ["a"], ["b/a"]),
        ("./a", ["a"], ["b/a"]),
        ("././a/b", ["a/b"], ["b", "x/a/b"]),
        ("*.{ts,tsx}", ["a.ts", "d/a.tsx"], ["a.t", "a.{ts,tsx}"]),
        ("{a,b{c,d}}x", ["ax", "bcx", "bdx"], ["bx", "cx"]),
        ("[!a]?", ["bx"], ["ax", "b"]),
        ("[a-c]", ["b"], ["d", "-"]),
        ("[]x]", ["]", "x"], ["a"]),
        (r"\*", ["*"], ["a"]),
        ("a{b", ["a{b"], ["ab"]),
        ("[", ["["], ["a"]),
    ],
)
def test_a_pattern_fits_what_people_mean(pattern, fit, others):
    fits = fitting(pattern)
    assert [path for path in fit if not fits(path)] == []
    assert [path for path in others if fits(path)] == []


@pytest.mark.parametrize("pattern", ["", "/", "[z-a]", "{a,b}" * 20])
def test_what_is_no_pattern_is_told(pattern):
    with pytest.raises(ValueError, match=r"\w"):
        fitting(pattern)


@given(paths)
def test_a_plain_path_fits_itself_alone(path):
    fits = fitting(path)
    assert fits(path)
    assert not fits(f"{path}x")
    assert fits(f"other/{path}") == ("/" not in path)


@given(st.text("ab*?.", min_size=1, max_size=6).filter(lambda text: "**" not in text), names)
def test_within_a_name_it_is_the_glob_of_the_shell(pattern, name):
    assert fitting(pattern)(name) == fnmatch.fnmatchcase(name, pattern)


@given(paths, st.text("ab*?/.", min_size=1, max_size=8).filter(lambda text: text.strip("/.")))
def test_a_star_never_leaves_its_folder(path, pattern):
    if "**" not in pattern and "/" in pattern and fitting(pattern)(path):
        plain = re.sub(r"^(\./)+", "", pattern).removeprefix("/")
        assert plain.endswith("/") or path.count("/") == plain.count("/")


@given(st.lists(st.sampled_from(["a", "b", "cd"]), min_size=2, max_size=4))
def test_braces_offer_each_choice(words):
    assert choices(f"x{{{','.join(words)}}}y") == [f"x{word}y" for word in words]


@pytest.mark.parametrize(
    ("pattern", "fit", "others"),
    [
        ("*.PY", ["a.py", "d/a.Py"], ["a.pyc"]),
        ("Src/{a,B}?.md", ["src/Ab.MD", "SRC/bx.md"], ["src/cx.md"]),
        ("[a-c]x[!d]", ["Bxe", "bXE"], ["dxe", "bxD"]),
        (r"\[x\]", ["[X]"], ["x"]),
        ("straße", ["STRAßE"], ["strasse"]),
        ("[A-z]1", ["a1", "Z1"], ["11"]),
    ],
)
def test_a_pattern_of_any_case_fits_capital_and_small_letters(pattern, fit, others):
    fits = fitting(any_case(pattern))
    assert [path for path in [*fit, *others] if fits(path)] == fit


@given(st.text("aB[]!-\\*{},/", max_size=8), st.text("aAbB-!/", min_size=1, max_size=4))
def test_a_pattern_of_any_case_fits_at_least_what_the_pattern_fits(pattern, path):
    try:
        fits = fitting(pattern)
    except ValueError:
        return
    if "[" not in pattern:
        assert fitting(any_case(pattern))(path) >= fits(path)
