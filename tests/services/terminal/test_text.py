"""Bytes of a terminal become the text that a person would have seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.services.terminal.text import readable


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"plain\n", "plain\n"),
        (b"  leading\n", "  leading\n"),
        (b"\x1b[31mred\x1b[0m\n", "red\n"),
        (b"\x1b]0;title\x07text", "text"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"10%\r50%\r100%\n", "100%\n"),
        (b"long text\rab\n", "abng text\n"),
        (b"long text\r\x1b[Kab\n", "ab\n"),
        (b"windows\r\nlines\r\n", "windows\nlines\n"),
        (b"abc\b\bX\n", "aXc\n"),
        (b"\b\bx", "x"),
        (b"bell\x07 nul\x00 del\x7f", "bell nul del"),
        (b"tab\tkept", "tab\tkept"),
        (b"bad \xff byte", "bad \N{REPLACEMENT CHARACTER} byte"),
        ("ünï 漢字 🙂".encode(), "ünï 漢字 🙂"),
        (b"progress\r", "progress"),
        (b"\x1b", ""),
        (b"", ""),
    ],
)
def test_bytes_become_what_was_seen(data, wanted):
    assert readable(data) == wanted


@given(st.binary(max_size=300))
def test_whatever_comes_is_text_without_controls(data):
    shown = readable(data)
    assert not any(char < " " and char not in "\n\t\r" for char in shown)
    assert "\x1b" not in shown


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=100))
def test_plain_text_stays_as_it_is(text):
    assert readable(text.encode()) == text
