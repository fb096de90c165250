"""What its form gives away is found in any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.agent.builtin.marks import Reader, find_size, seconds_of

READER = Reader()


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("read src/a.py, please", [("path", "src/a.py")]),
        ("open ~/notes/x", [("path", "~/notes/x")]),
        ("is example.com up?", [("host", "example.com")]),
        ("see https://a.org/b?c=1.", [("url", "https://a.org/b?c=1")]),
        ("don't use 'single quotes' here", [("quoted", "single quotes")]),
        ("all *.py files", [("glob", "*.py")]),
        ("over 10 MB", [("size", "10 MB")]),
        ("in half an hour", [("time", "half an hour")]),
        ("the last five commits", [("number", "five")]),
        ("show abc1234", [("hash", "abc1234")]),
        ("run `make clean`", [("code", "make clean")]),
        ("python 3.11 and/or so", [("version", "3.11")]),
        ("the .env and Makefile", [("path", ".env"), ("path", "Makefile")]),
        ("at 10.0.0.5", [("ip", "10.0.0.5")]),
        ("make a tar.gz", []),
    ],
)
def test_marks_are_found(text, marks):
    assert [(mark.kind, mark.value) for mark in READER.marks(text)] == marks


@given(st.text(max_size=200))
def test_marks_never_overlap_and_stand_in_order(text):
    end = 0
    for mark in READER.marks(text):
        assert end <= mark.start < mark.end <= len(text)
        end = mark.end


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5 seconds", 5),
        ("2 minutes", 120),
        ("half a minute", 30),
        ("an hour", 3600),
        ("500ms", 0.5),
    ],
)
def test_spans_become_seconds(text, seconds):
    assert seconds_of(text) == seconds


def test_sizes_become_those_of_find():
    assert [find_size(text) for text in ("10MB", "1 gig", "500k", "1.5 GB", "20 bytes")] == [
        "10M",
        "1G",
        "500k",
        "1610612736c",
        "20c",
    ]
