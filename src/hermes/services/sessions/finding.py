"""Search conversations: by whole words, their beginnings, any of them, and parts of words.

The newest hits of each way are looked at, not all of them: a word that stands in every message
must not cost more than a rare one. A way is tried only while those before it found too little.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hermes.services.sessions import reading
from hermes.services.sessions.database import within
from hermes.services.sessions.hits import Found, Hit, How, snippet
from hermes.services.sessions.records import FACTS, Facts
from hermes.services.sessions.words import Term, plain, terms, trigrams
from hermes.services.sessions.writing import Place

_MOST = 300  # hits of one way that are looked at
_SECONDS = 0.5  # for one way through an index
_READING_SECONDS = 0.04  # for reading message after message
_WEIGHED = 2_000  # characters of a hit that its weight comes from
_CHECKED = 10_000  # and that are looked through for a part of a word
_ROLES = {"user": 0.6, "assistant": 0.5}


class _Way(NamedTuple):
    """One way to look: what a hit is worth, the statement, and whether hits must be checked."""

    worth: float
    statement: str
    values: tuple[Any, ...]
    is_rough: bool = False
    seconds: float = _SECONDS


class _Candidate(NamedTuple):
    id: int
    session: int
    origin: int
    at: float
    role: str
    text: str


@dataclass(slots=True)
class _Best:
    """The best message of a session, and how many were found."""

    candidate: _Candidate
    score: float
    hits: int


def search(connection: sqlite3.Connection, query: str, how: How) -> Found:
    """Return the sessions that hold what is asked for, the best first."""
    wanted = terms(query)
    parts = [plain(term.text) for term in wanted]
    seen: dict[int, tuple[float, _Candidate]] = {}
    is_complete = True
    for way in _ways(wanted, how):
        if len({candidate.session for _, candidate in seen.values()}) >= how.limit:
            break
        rows, is_whole = _looked(connection, way)
        is_complete = is_complete and is_whole
        for row in rows:
            text = plain(row.text)
            if way.is_rough and not all(part in text for part in parts):
                continue
            _keep(seen, row, way.worth + _weight(row, text, parts))
    chosen = _chosen(seen, how)
    return Found(tuple(_hit(connection, best, wanted, how) for best in chosen), is_complete)


def _ways(wanted: Sequence[Term], how: How) -> Iterator[_Way]:
    """Yield how to look, the surest way first."""
    words = [term for term in wanted if term.whole]
    if words:
        yield from _by_words(words, how)
    parts = [match for term in wanted if (match := trigrams(term.text))]
    if parts:
        yield _by_parts(" AND ".join(parts), how)
    elif wanted and not words:
        yield _by_reading(wanted, how)


def _by_words(words: Sequence[Term], how: How) -> Iterator[_Way]:
    if len(words) > 1 and all(" AND " not in term.whole for term in words):
        yield _by_index(4, " + ".join(term.whole for term in words), how)
    whole = " AND ".join(term.whole for term in words)
    yield _by_index(3, whole, how)
    begun = " AND ".join(term.begun for term in words)
    if begun != whole:
        yield _by_index(2, begun, how)
    if len(words) > 1:
        yield _by_index(0, " OR ".join(f"({term.whole})" for term in words), how)


def _by_index(worth: float, match: str, how: How) -> _Way:
    """Ask the index of words, which knows who said what."""
    match = f"said : ({match})"
    if how.roles:
        match = f"tag : ({' OR '.join(how.roles)}) AND {match}"
    if not how.children:
        match = f"({match}) NOT tag : child"
    return _Way(worth, _statement("session_words", _WEIGHED, how, ""), (match, *_named(how), _MOST))


def _by_parts(match: str, how: How) -> _Way:
    """Ask the index of parts of words, which does not know in which order they stand."""
    statement = _statement("session_trigrams", _CHECKED, how, _who(how))
    return _Way(1, statement, (match, *_named(how), _MOST), is_rough=True)


def _by_reading(wanted: Sequence[Term], how: How) -> _Way:
    """Read message after message, for what no index holds: signs such as ``->``."""
    holds = " AND instr(text, ?)" * len(wanted)
    statement = (
        f"SELECT id, session, origin, at, role, substr(text, 1, {_CHECKED}) FROM session_messages"
        f" WHERE {_where(how)}{_who(how)}{holds} ORDER BY id {_order(how)} LIMIT ?"
    )
    values = (*_named(how), *(term.text for term in wanted), _MOST)
    return _Way(0, statement, values, seconds=_READING_SECONDS)


_NUMBER = "(SELECT number FROM sessions WHERE sessions.id = ?)"


def _statement(index: str, characters: int, how: How, who: str) -> str:
    return (
        f"SELECT id, session, origin, at, role, substr(text, 1, {characters}) || asked"
        f" FROM {index} CROSS JOIN session_messages ON session_messages.id = {index}.rowid"
        f" WHERE {index} MATCH ? AND {_where(how)}{who}"
        f" ORDER BY {index}.rowid {_order(how)} LIMIT ?"
    )


def _where(how: How) -> str:
    """Return the condition on the session, with a value for each that `_named` gives."""
    only = f" AND session = {_NUMBER}" if how.within else ""
    return f"session IS NOT {_NUMBER}{only}"


def _named(how: How) -> tuple[str, ...]:
    return (how.besides, how.within) if how.within else (how.besides,)


def _who(how: How) -> str:
    """Return the condition on who said it, for statements that the index does not answer."""
    roles = ", ".join(f"'{role}'" for role in how.roles)
    among = f" AND role IN ({roles})" if roles else " AND role <> 'system'"
    return among if how.children else f"{among} AND tag = role"


def _order(how: How) -> str:
    return "ASC" if how.sort == "oldest" else "DESC"


def _looked(connection: sqlite3.Connection, way: _Way) -> tuple[list[_Candidate], bool]:
    """Return what one way finds, and whether that is all."""
    rows: list[_Candidate] = []
    try:
        with (
            within(connection, way.seconds),
            contextlib.closing(connection.execute(way.statement, way.values)) as cursor,
        ):
            for row in cursor:
                rows.append(_Candidate(*row))  # noqa: PERF401 - kept when the time is up
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_INTERRUPT":
            raise
        return rows, False
    return rows, len(rows) < _MOST


def _weight(row: _Candidate, text: str, parts: Sequence[str]) -> float:
    """Return how well a hit fits beside others of its way: who said it, how much of it is there."""
    there = sum(part in text for part in parts) / max(1, len(parts))
    often = min(5, sum(text.count(part) for part in parts if part)) / 10
    return _ROLES.get(row.role, 0.0) + 2 * there + often


def _keep(seen: dict[int, tuple[float, _Candidate]], row: _Candidate, score: float) -> None:
    """Note a hit; of a message and its copies in forks the oldest is kept."""
    key = row.origin or row.id
    known = seen.get(key)
    if known is None or (known[1].id > row.id and score >= known[0]):
        seen[key] = (score, row)


def _chosen(seen: dict[int, tuple[float, _Candidate]], how: How) -> list[_Best]:
    """Return the sessions to show, each with its best message."""
    sessions: dict[int, _Best] = {}
    for score, row in seen.values():
        best = sessions.setdefault(row.session, _Best(row, score, 0))
        best.hits += 1
        if score > best.score:
            best.candidate, best.score = row, score
    found = list(sessions.values())
    if how.sort == "relevance":
        found.sort(key=lambda best: (best.score + min(best.hits, 5) / 10, best.candidate.id))
        found.reverse()
    else:
        found.sort(key=lambda best: best.candidate.id, reverse=how.sort == "newest")
    return found[: how.limit]


def _hit(connection: sqlite3.Connection, best: _Best, wanted: Sequence[Term], how: How) -> Hit:
    row = best.candidate
    asked = f"SELECT {FACTS} FROM sessions WHERE number = ?"
    session = Facts(*connection.execute(asked, (row.session,)).fetchone())
    stretch = reading.around(connection, Place(row.session, session.id), row.id, how.window)
    asked = "SELECT text || asked FROM session_messages WHERE id = ?"
    (text,) = connection.execute(asked, (row.id,)).fetchone()
    first, last = reading.bookends(connection, row.session, how.bookends)
    return Hit(
        session,
        row.id,
        row.role,
        row.at,
        snippet(text, wanted),
        best.hits,
        stretch.entries,
        tuple(first),
        tuple(last),
    )
