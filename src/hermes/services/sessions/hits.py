"""What is asked of a search and what it gives: hits with what is around them; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from hermes.services.sessions.records import Facts, Stored
from hermes.services.sessions.words import Term, folded

Sort = Literal["relevance", "newest", "oldest"]

_SNIPPET = 240
_BEFORE = 80


@dataclass(frozen=True, slots=True)
class How:
    """How to search, and how much to show."""

    limit: int = 3
    sort: Sort = "relevance"
    roles: tuple[str, ...] = ()
    """Only messages of these; everybody's without one."""
    window: int = 5
    """Messages to show before and after a hit."""
    bookends: int = 3
    """Messages to show of a session's beginning and of its end."""
    children: bool = False
    """Whether sessions are searched that worked for another one."""
    besides: str = ""
    """The id of a session that is left out."""
    within: str = ""
    """The id of the only session that is searched."""


class Hit(NamedTuple):
    """A session with its best message, what is around it, and how the session begins and ends."""

    session: Facts
    id: int
    role: str
    at: float
    snippet: str
    """The text around the hit; what was looked for stands between ``>>>`` and ``<<<``."""
    hits: int
    """How many messages of the session were found."""
    entries: tuple[Stored, ...]
    first: tuple[Stored, ...]
    last: tuple[Stored, ...]


class Found(NamedTuple):
    """What a search found; when it is not complete, older hits were not looked at."""

    hits: tuple[Hit, ...] = ()
    is_complete: bool = True


def snippet(text: str, wanted: Sequence[Term]) -> str:
    """Return the part of a text where what is looked for stands, marked."""
    plain = folded(text)
    places = sorted(_places(plain, wanted))
    first = places[0][0] if places else 0
    start = max(0, first - _BEFORE)
    end = min(len(text), start + _SNIPPET)
    shown: list[str] = ["…"] if start else []
    at = start
    for begin, after in places:
        if at <= begin and after <= end:
            shown += [text[at:begin], ">>>", text[begin:after], "<<<"]
            at = after
    shown += [text[at:end], "…" if end < len(text) else ""]
    return " ".join("".join(shown).split())


def _places(plain: str, wanted: Sequence[Term]) -> set[tuple[int, int]]:
    """Return where each term stands first, and where it stands next to that place."""
    found: set[tuple[int, int]] = set()
    for term in wanted:
        for part in (folded(term.text), *folded(term.text).split()):
            at = plain.find(part)
            if at >= 0 and part:
                found.add((at, at + len(part)))
                break
    return found
