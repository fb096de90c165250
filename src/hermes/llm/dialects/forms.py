"""What it takes to read one form of call out of a text that may not have ended yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from hermes.base.messages import Json

UNREADABLE = "unreadable_call"
"""The name of a call that was surely meant as one, but does not say which tool it wants."""


class Written(NamedTuple):
    """A call as it was written; arguments that cannot be read are the text that stood there."""

    name: str
    arguments: Json


class Found(NamedTuple):
    """What was read: calls, or something the model thought, or only marks without a meaning."""

    end: int
    calls: tuple[Written, ...] = ()
    thought: str = ""


Reading = Found | Literal["wait"] | None
"""What stands there; or that more text must come before one can tell; or that it is plain text.

More text never changes an answer other than "wait": so a stream reads the same however it is cut.
"""

Reader = Callable[[str, int, bool], Reading]
"""Read at a place of a text, which is over or may go on."""


class Form(NamedTuple):
    """One form of calls: the marks it opens with, and how it is read from there."""

    opens: tuple[str, ...]
    read: Reader


_BLANK = re.compile(r"\s*")


def skip(text: str, at: int, pattern: re.Pattern[str] = _BLANK) -> int:
    """Return where the text goes on after white space, or after a pattern that may be empty."""
    match = pattern.match(text, at)
    return match.end() if match else at


def is_begun(text: str, at: int, marks: Sequence[str]) -> bool:
    """Say whether the text ends there in the middle of one of the marks, or right before it."""
    rest = text[at : at + 64]
    return len(text) - at < 64 and any(len(rest) < len(m) and m.startswith(rest) for m in marks)


def mark_at(text: str, at: int, marks: Sequence[str]) -> str | None:
    """Return the mark that stands there."""
    return next((mark for mark in marks if text.startswith(mark, at)), None)


def first_of(text: str, at: int, marks: Sequence[str]) -> int:
    """Return where the first of the marks stands from there on, or -1."""
    found = [place for mark in marks if (place := text.find(mark, at)) >= 0]
    return min(found, default=-1)


def wrapped(opens: tuple[str, ...], closes: tuple[str, ...], bodies: Sequence[Reader]) -> Form:
    """Return the form of calls between marks; the closing one may be missing."""

    def read(text: str, start: int, is_over: bool) -> Reading:
        mark = mark_at(text, start, opens) or ""
        at = end = start + len(mark)
        calls: list[Written] = []
        while True:
            at = skip(text, at)
            if close := mark_at(text, at, closes):
                return Found(at + len(close), tuple(calls)) if calls else None
            if not is_over and is_begun(text, at, closes):
                return "wait"
            found = _first(bodies, text, at, is_over) if at < len(text) else None
            if found == "wait":
                return "wait"
            if found is None or found.end <= end:
                return Found(end, tuple(calls)) if calls else None
            calls += found.calls
            at = end = found.end

    return Form(opens, read)


def _first(bodies: Sequence[Reader], text: str, at: int, is_over: bool) -> Reading:
    for body in bodies:
        found = body(text, at, is_over)
        if found is not None:
            return found
    return None
