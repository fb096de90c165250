import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.services.files.conftest import Caller

from hermes.base.errors import ToolError
from hermes.services.files import Files
from hermes.services.files.local_disk import LocalDisk
from hermes.services.files.searching import Wanted, finding, search

WORDS = ["a", "b", "foo", "Foo", "bar", "é", "x.y", "(", "1", "  ", "\t", "foo_bar", "-v", "漢"]
NAMES = ["a", "b.py", "c.log", "foo.py", "Foo.txt", ".h", "x y", "build", "é.py", "[z]"]
PATTERNS = [
    "foo", "fo+", "^foo", "bar$", r"\bfoo\b", "[a-f]+1", "a.b", r"\w+_\w+", "(foo|bar) ", r"\s",
    "é", "[^a]", "x*", "^$", r"o\W", "(?i)foo", r"\d", "foo.*bar", "a|b", r"^\s*foo", "(a)(b)?",
    "[[:^alpha:]]", "[^[:^space:]]", "[[:word:]] ", "[a[:^digit:]]+$", "(?-i)foo", "f(?-i)oo",
    r"\u{e9}",
]  # fmt: skip
GLOBS = ["*.py", "*", "d/*.py", "**/*.py", "d/**", "foo.py", "*.{py,log}", "!*.py", "d/e/*",
         "[fb]*", "?", "**/e/*", "[!a]*", "x y", "/a"]  # fmt: skip
RULES = ["*.log", "build", "build/", "/a", "!c.log", "d/", "d/*", "**/e", "*.py", "!b.py", "e/**",
         "# no", "", "?", "[ab]*", "d/**/a", "x y"]  # fmt: skip

line = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
text = st.builds(
    lambda lines, end, last: end.join(lines) + last,
    st.lists(line, max_size=6),
    st.sampled_from(["\n", "\n", "\r\n"]),
    st.sampled_from(["\n", ""]),
)
folder = st.sampled_from(["", "d/", "d/e/", "build/", ".g/", "d/d/"])
path = st.builds(lambda above, name: above + name, folder, st.sampled_from(NAMES))
tree = st.dictionaries(path, text, min_size=1, max_size=8)
ignores = st.dictionaries(folder, st.lists(st.sampled_from(RULES), max_size=4), max_size=2)


def both(files, rules, wanted, *, has_repository=False):
    """Return what is found with ripgrep and without it."""
    place = Path(tempfile.mkdtemp())
    try:
        for name, content in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            if not (place / name).is_dir():
                (place / name).write_bytes(content.encode())
        for above, lines in rules.items():
            (place / above).mkdir(parents=True, exist_ok=True)
            (place / above / ".gitignore").write_text("\n".join(lines) + "\n")
        if has_repository:
            (place / ".git").mkdir()
        work = Files(lambda caller, check: LocalDisk(str(place), str(place / "~"), check)).at(
            Caller(place)
        )
        with pytest.MonkeyPatch.context() as patch:
            answers = [search(work, wanted, 30, lambda: False)]
            patch.setattr(finding, "program", lambda: None)
            answers.append(search(work, wanted, 30, lambda: False))
        return answers
    finally:
        shutil.rmtree(place)


def usable(files):
    """Drop files whose names are folders of others."""
    return {
        name: content
        for name, content in files.items()
        if not any(other.startswith(name + "/") for other in files)
        and not any(name == f.rstrip("/") for f in ("d", "d/e", "build", ".g", "d/d"))
    }


@pytest.mark.proves("search-same")
@settings(max_examples=30, deadline=None)
@given(
    tree, ignores, st.sampled_from(PATTERNS), st.sampled_from([None, *GLOBS]),
    st.booleans(), st.booleans(), st.booleans(), st.integers(0, 2),
)  # fmt: skip
def test_ripgrep_and_python_find_the_same(
    files, rules, pattern, glob, hidden, ignored, ignore_case, context
):
    wanted = Wanted(
        pattern, file_glob=glob, hidden=hidden, ignored=ignored, ignore_case=ignore_case,
        context=context,
    )  # fmt: skip
    ours, plain = both(usable(files), rules, wanted, has_repository=len(rules) == 1)
    assert ours == plain


@settings(max_examples=15, deadline=None)
@given(tree, ignores, st.sampled_from([*GLOBS, "foo.*", "[F]*"]), st.booleans(), st.booleans())
def test_they_list_the_same_names(files, rules, glob, hidden, ignore_case):
    wanted = Wanted(glob, target="files", hidden=hidden, ignore_case=ignore_case)
    ours, plain = both(usable(files), rules, wanted)
    assert ours == plain


@settings(max_examples=15, deadline=None)
@given(tree, st.sampled_from([r"foo\s+bar", r"a.*?b", r"bar\n", r"\n\n", "foo"]), st.booleans())
def test_they_span_lines_alike(files, pattern, literal):
    wanted = Wanted(pattern, multiline=True, literal=literal)
    ours, plain = both(usable(files), {}, wanted)
    assert ours == plain


@pytest.mark.parametrize("pattern", ["[[a-z]1]", "[a-z&&b]", "[a-z~~b]"])
def test_what_python_would_take_for_something_else_is_refused(monkeypatch, pattern):
    monkeypatch.setattr(finding, "program", lambda: None)
    with pytest.raises(ToolError, match="classes cannot hold other classes here, at character"):
        both({"a": "b"}, {}, Wanted(pattern))
