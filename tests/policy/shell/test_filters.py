"""Filters of a text that is known give a text that is known."""

import pytest

from hermes.policy.shell.filters import filtered, picked
from hermes.policy.shell.flow import known
from hermes.policy.shell.run import Run

LINES = "one a\ntwo b\nthree c\n"
CASES = [
    ("head -n 1", "one a\n"),
    ("head -2", "one a\ntwo b\n"),
    ("head -c3", "one"),
    ("tail -1", "three c\n"),
    ("tail -n +3", "three c\n"),
    ("tail -c 3", " c\n"),
    ("tail -c +14", "hree c\n"),
    ("sort -r", "two b\nthree c\none a\n"),
    ("uniq", LINES),
    ("paste -s -d,", "one a,two b,three c\n"),
    ("cut -c1-2", "on\ntw\nth\n"),
    ("cut -d| -f1", LINES),
    ("sed 1d", "two b\nthree c\n"),
    ("sed -n 2p", "two b\n"),
    ("sed -n $p", "three c\n"),
    ("sed s/e/E/g", "onE a\ntwo b\nthrEE c\n"),
    ("sed -E s/(t)w/\\1&/", "one a\nttwo b\nthree c\n"),
    ("sed y/ab/xy/", "one x\ntwo y\nthree c\n"),
    ("awk {print}", LINES),
    ("awk {print$2,$1}", "a one\nb two\nc three\n"),
    ("awk {print$NF}", "a\nb\nc\n"),
    ('awk BEGIN{print"x"}', "x\n"),
]


def result(command, text=LINES):
    name, *words = command.split()
    return filtered(Run(name, tuple(words), known(text), frozenset(), (0, 0)))


@pytest.mark.parametrize(("command", "expected"), CASES)
def test_a_plain_filter_is_followed(command, expected):
    assert result(command) == expected


@pytest.mark.parametrize(
    "command",
    ["sed -E s/(a+)+b/x/", "awk {system($1)}", "cut --complement -f1", "head -n x",
     "sort -k2", "sed -f script", "grep a", "paste a b", "sed s/[/x/"],
)  # fmt: skip
def test_a_use_that_is_not_plain_is_not_known(command):
    assert result(command) is None


def test_a_long_line_is_not_searched():
    assert result("sed s/a*b/x/", "a" * 5_000) is None


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [("/home", r"\(.\)", "/"), ("abc", "b", None), ("abc", r"\(x\)", None), ("a", r"\(", None),
     ("a" * 50, r"\(a*\)*\(a*\)*b", None)],
)  # fmt: skip
def test_brackets_pick_from_the_start_of_a_text(text, pattern, expected):
    assert picked(text, pattern) == expected
