"""The state of a real bash survives being written down, restored and carried over."""

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.environments.inside.driver import (
    _SAVE,
    State,
    changes,
    quoted,
    read_state,
    restoring,
)

NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,8}", fullmatch=True).map(lambda name: f"v_{name}")
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)
BYTES = st.binary(max_size=20).map(lambda data: os.fsdecode(data.replace(b"\0", b"")))


def run(script, folder="/"):
    done = subprocess.run(
        ["/bin/bash", "--norc", "--noprofile", "-s"],
        input=script.encode("utf-8", "surrogateescape"),
        capture_output=True,
        cwd=folder,
        env={"PATH": os.defpath, "LANG": "C.UTF-8"},
        timeout=30,
    )
    assert done.stderr == b""
    return done.stdout


def saved(script, folder="/"):
    """Return the state that a shell is in after a script."""
    setup = f"shopt -s expand_aliases\n{_SAVE}\n"
    told = read_state(run(f"{setup}{script}\n__h_save 0 /dev/stdout", folder))
    assert told is not None
    return told.state


def printed(state, script, folder="/"):
    """Return what a script prints in a new shell that was put into a state."""
    return run(f"shopt -s expand_aliases\n{restoring(state)}\n{script}", folder)


@settings(max_examples=25)
@given(st.dictionaries(NAMES, TEXTS | BYTES, min_size=1, max_size=5))
def test_any_text_in_a_variable_survives(values):
    state = saved("\n".join(f"{name}={quoted(value)}" for name, value in values.items()))
    shown = printed(state, "\n".join(f'printf "%s\\0" "${{{name}}}"' for name in values))
    assert shown.split(b"\0")[:-1] == [os.fsencode(value) for value in values.values()]


@settings(max_examples=25)
@given(NAMES, TEXTS | BYTES)
def test_any_text_reaches_programs_and_is_carried_over(name, value):
    before = saved("old=1")
    after = saved(f"old=1\nexport {name}={quoted(value)}")
    carried = f"{restoring(before)}\n{changes(before, after)}\nsh -c 'printf %s \"${name}\"'"
    assert run(carried) == os.fsencode(value)


@settings(max_examples=25)
@given(st.lists(TEXTS, max_size=5), st.dictionaries(TEXTS.filter(bool), TEXTS, max_size=4))
def test_any_texts_in_lists_and_tables_survive(items, table):
    words = " ".join(map(quoted, items))
    pairs = "\n".join(f"key={quoted(key)}; t[$key]={quoted(value)}" for key, value in table.items())
    state = saved(f"a=({words}); declare -A t\n{pairs}\nkey=")
    each = 'for k in "${!t[@]}"; do printf "%s\\0%s\\0" "$k" "${t[$k]}"; done'
    shown = printed(state, f'printf "%s\\0" "${{a[@]}}"; echo; {each}')
    first = "".join(f"{item}\0" for item in items).encode() or b"\0"
    assert shown.startswith(first + b"\n")
    parts = shown[len(first) + 1 :].decode().split("\0")[:-1]
    assert dict(zip(parts[::2], parts[1::2], strict=True)) == table


@pytest.mark.parametrize(
    ("script", "shown", "wanted"),
    [
        ("f() { echo 'in f'; }", "f", b"in f\n"),
        ("f() { cat <<END\nf () \n{\n}\nEND\n}; g() { echo g; }", "f; g", b"f () \n{\n}\ng\n"),
        ("f() ( echo sub )", "f", b"sub\n"),
        ("f() { echo f; }; export -f f", "bash -c f", b"f\n"),
        ("a-b() { echo odd; }", "a-b", b"odd\n"),
        ("alias x='echo \"it'\\''s\"'", "x", b"it's\n"),
        ("umask 027", "umask", b"0027\n"),
        ("cd /usr", "pwd", b"/usr\n"),
        ("shopt -s nullglob; set -o pipefail", "echo x*y; false | true; echo $?", b"\n1\n"),
        ("declare -i n=4; declare -r r=5", "n+=3; echo $n $r", b"7 5\n"),
        ("declare -u up=abc", "up+=d; echo $up", b"ABCD\n"),
        ("declare -a empty=()", "echo ${#empty[@]}", b"0\n"),
        ("x=$'line one\\ndeclare -x EVIL=\"1\"\\n'", "echo [$EVIL]; echo \"$x\"", None),
        ("declare -n ref=target; target=5", "echo $ref", b"5\n"),
        ("unset HOME; export PATH=/bin:/usr/bin", "echo $PATH", b"/bin:/usr/bin\n"),
    ],
)  # fmt: skip
def test_what_a_shell_keeps_survives(script, shown, wanted):
    state = saved(script)
    if wanted is None:
        wanted = b'[]\nline one\ndeclare -x EVIL="1"\n\n'
    assert printed(state, shown) == wanted


def test_a_restored_shell_is_in_the_same_state(tmp_path):
    script = "a=1; export b='x y'; f() { echo f; }; alias l='ls -l'; umask 077; set -f; cd /usr"
    first = saved(f"{script}; shopt -s dotglob", tmp_path)
    assert saved(restoring(first), tmp_path) == first


def test_nothing_changes_where_nothing_changed():
    state = saved("a=1; f() { :; }; alias x=y")
    assert changes(state, state) == ""


def test_what_was_removed_is_removed_elsewhere():
    before = saved("a=1; f() { :; }; alias x='echo y'; b=2")
    after = saved("b=2")
    carried = f"shopt -s expand_aliases\n{restoring(before)}\n{changes(before, after)}\n"
    assert run(f"{carried}echo [${{a-none}}] $b; type -t f; alias") == b"[none] 2\n"


def test_changes_made_beside_each_other_are_all_kept():
    start = saved("alias old='x'; set -o pipefail")
    one = saved("alias a='echo a\nalias b=c'; unalias old 2>/dev/null; set -f; set -o pipefail")
    two = saved("alias old='x'; alias q='echo q'; shopt -s nullglob")
    both = f"{restoring(start)}\n{changes(start, one)}\n{changes(start, two)}"
    shown = run(
        f"shopt -s expand_aliases\n{both}\nalias; echo $-; shopt -p nullglob; shopt -po pipefail"
    )
    aliases = b"alias a='echo a\nalias b=c'\nalias q='echo q'\n"
    assert shown == aliases + b"fhBs\nshopt -s nullglob\nset +o pipefail\n"


@given(st.binary(max_size=200))
def test_whatever_lies_in_the_file_is_read_or_refused(data):
    told = read_state(data)
    assert told is None or isinstance(told.state, State)


@given(TEXTS)
def test_a_quoted_text_is_one_word(text):
    inner = quoted(text)
    assert inner.startswith("'") and inner.endswith("'")
    assert inner[1:-1].replace("'\\''", "").count("'") == 0
