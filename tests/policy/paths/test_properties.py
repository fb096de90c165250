"""Whatever the spelling, links and globs: no raise, no milder word, no way out of the workspace."""

from __future__ import annotations

import fnmatch
import itertools
import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.policy.paths import UNKNOWN, Places, concern
from hermes.policy.paths.machine_files import MACHINE, SOCKETS
from hermes.policy.paths.open_files import NOT_WHEN_DELETED, OPEN_TO_READ, OPEN_TO_WRITE
from hermes.policy.paths.program_secrets import PROGRAM_SECRETS
from hermes.policy.paths.project_files import PROJECT
from hermes.policy.paths.rules import overlaps
from hermes.policy.paths.secret_files import SECRETS
from hermes.policy.paths.spelling import names_of

PLACES = Places(("/w/app",), "/home/dev", "/home/dev/.hermes")
VERBS = ("read", "write", "delete")
STRICTNESS = {None: 0, "ask": 1, "deny": 2}
PIECES = (
    *(
        "/",
        "//",
        "..",
        ".",
        "~",
        "~/",
        "~root",
        "*",
        "?",
        "[",
        "]",
        "[a-z]",
        "**",
        UNKNOWN,
        " ",
        "%2e",
    ),
    *(
        ".ssh",
        "id_rsa",
        ".git",
        "hooks",
        ".env",
        "etc",
        "shadow",
        "proc",
        "self",
        "root",
        "dev",
        "sda",
    ),
    *(
        "home",
        "tmp",
        "w",
        "app",
        "src",
        "x",
        ".hermes",
        "$HOME",
        "file:",
        "\\",
        "\0",
        "\n",
        "\u202e",
    ),
    *(
        "\uff0e",
        "\u2025",
        "\ud800",
        "\u00e9",
        "fd",
        "0",
        "1",
        "environ",
        ".bashrc",
        "a.pem",
        "-",
        "$",
    ),
)


def decide(verb, path, *, is_recursive=False):
    found = concern(verb, path, PLACES, "/w/app", is_recursive=is_recursive)
    return found and found.decision


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=12).map("".join)))
@settings(max_examples=1_000, deadline=None)
def test_no_text_breaks_the_judge(text):
    for verb, is_recursive in itertools.product(VERBS, (False, True)):
        found = concern(verb, text, PLACES, "/w/app", is_recursive=is_recursive)
        assert found is None or found.what.isprintable()


SAMPLES = st.sampled_from(
    [
        *("src/app.py", "/w/app/x", "~/.ssh/id_rsa", "~/notes", "/etc/shadow", "/etc/hosts", "~"),
        *(
            ".git/hooks/x",
            "~/.hermes/x",
            "/tmp/x",
            "/dev/sda",
            "/",
            "/usr",
            "*",
            "~/.ssh/*",
            "build",
        ),
    ]
)


@given(SAMPLES, st.sampled_from(VERBS), st.booleans(), st.data())
@settings(max_examples=500, deadline=None)
def test_a_detour_never_makes_the_word_milder(path, verb, is_recursive, data):
    names = path.split("/")
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(1, len(names)))
        names[at:at] = data.draw(st.sampled_from([["."], [""], ["zz", ".."], [".", "", "."]]))
    detour = "/".join(names)
    plain = decide(verb, path, is_recursive=is_recursive)
    assert STRICTNESS[decide(verb, detour, is_recursive=is_recursive)] >= STRICTNESS[plain]


@given(SAMPLES, st.sampled_from(VERBS))
def test_more_than_one_thing_is_never_judged_milder_than_one(path, verb):
    assert STRICTNESS[decide(verb, path, is_recursive=True)] >= STRICTNESS[decide(verb, path)]


def grown(chance, base):
    """Make folders, files and links at random, inside the workspace and out of it."""
    folders = [base / "work", base / "work/a", base / "work/b", base / "out", base / "out/c"]
    for folder in folders:
        folder.mkdir()
    files = []
    for at in range(30):
        place = chance.choice(folders) / f"n{at % 12}"
        if place.exists() or place.is_symlink():
            continue
        if chance.random() < 0.3:
            place.write_text("")
            files.append(place)
            continue
        if files and chance.random() < 0.2:
            os.link(chance.choice(files), place)
            continue
        target = chance.choice(folders) / chance.choice(("", "n1", "n5", "new", "../n3", ".."))
        relative = os.path.relpath(target, place.parent) if chance.random() < 0.5 else target
        place.symlink_to(relative)


@pytest.mark.proves("path-object")
@pytest.mark.parametrize("seed", range(40))
def test_what_is_written_without_asking_lies_in_the_workspace(tmp_path, seed):
    chance = random.Random(seed)
    base = tmp_path.resolve()
    grown(chance, base)
    work = str(base / "work")
    places = Places((work,), str(base / "home"), str(base / "home/.hermes"), ())
    outside = {file.stat().st_ino for file in (base / "out").rglob("*") if not file.is_symlink()}
    names = ["a", "b", "c", "..", ".", "new", "[n]1", "n?", *(f"n{at}" for at in range(12))]
    allowed = 0
    for _ in range(250):
        path = "/".join(chance.choice(names) for _ in range(chance.randint(1, 5)))
        if concern("write", path, places, work) is None:
            real = os.path.realpath(os.path.join(work, path))
            assert real == work or real.startswith(f"{work}/"), path
            assert not os.path.exists(real) or os.stat(real).st_ino not in outside, path
            allowed += 1
    assert allowed


TEXTS = ["".join(letters) for size in range(5) for letters in itertools.product("ab", repeat=size)]


@given(st.text(alphabet="ab*?", min_size=1, max_size=5), st.text("ab*?", min_size=1, max_size=5))
@settings(max_examples=1_000)
def test_two_patterns_overlap_when_some_name_fits_both(one, other):
    if any(fnmatch.fnmatchcase(t, one) and fnmatch.fnmatchcase(t, other) for t in TEXTS):
        assert overlaps(one, other)


@given(st.text(alphabet="ab?", min_size=1, max_size=4), st.text("ab?", min_size=1, max_size=4))
def test_patterns_that_share_no_name_do_not_overlap(one, other):
    shared = any(fnmatch.fnmatchcase(t, one) and fnmatch.fnmatchcase(t, other) for t in TEXTS)
    assert overlaps(one, other) == shared


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            pattern
            for group in (*SECRETS, *PROGRAM_SECRETS, *SOCKETS, *MACHINE, *PROJECT)
            for pattern in group.patterns
        ),
        *(OPEN_TO_READ + OPEN_TO_WRITE + NOT_WHEN_DELETED),
    ],
)
def test_patterns_are_written_so_that_they_are_found(pattern):
    body = pattern.removesuffix("$")
    first, *rest = body.removeprefix("~").removeprefix("/").split("/")
    assert names_of("/" + body.removeprefix("~/").removeprefix("/")) == [first, *rest]
    if any(char in first for char in "*?"):
        assert not body.startswith(("~", "/"))
        assert rest == []
        assert pattern.endswith("$")
