"""Change what is kept; every function works inside a transaction of the caller."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from hermes.base.errors import HermesError
from hermes.base.messages import Json, Message
from hermes.services.sessions.records import Kind, opening, packed

_ID_BYTES = 5
_INSERT = (
    "INSERT INTO session_messages"
    " (session, origin, at, role, tag, about, text, asked, words, more)"
    " VALUES (?,?,?,?,?,?,?,?,?,?)"
)
_GROW = (
    "UPDATE sessions SET updated = max(updated, ?), messages = messages + 1, calls = calls + ?,"
    " opening = CASE WHEN opening = '' AND ? <> '' THEN ? ELSE opening END"
    " WHERE number = ? AND id = ? RETURNING kind"
)
_SPEND = (
    "UPDATE sessions SET input = input + ?, output = output + ?, cached = cached + ?,"
    " reasoning = reasoning + ?,"
    " dollars = CASE WHEN ? IS NULL THEN dollars ELSE coalesce(dollars, 0) + ? END"
    " WHERE number = ?"
)
_COPY = (
    "INSERT INTO session_messages"
    " (session, origin, at, role, tag, about, text, asked, words, more)"
    " SELECT ?, CASE origin WHEN 0 THEN id ELSE origin END, at, role, role, about, text, asked,"
    " words, more FROM session_messages WHERE session = ? AND id <= ? ORDER BY id"
)


class Beginning(NamedTuple):
    """What is said of a session when it begins."""

    kind: Kind = "chat"
    parent: str = ""
    title: str = ""
    model: str = ""
    source: str = ""
    workspace: str = ""
    system: str = ""
    tools: str = "[]"
    """The tools on offer, as JSON text."""


class Place(NamedTuple):
    """Where a session is in the tables."""

    number: int
    id: str


def new_id() -> str:
    """Return an id for a session; short enough to be typed."""
    return os.urandom(_ID_BYTES).hex()


def begin(connection: sqlite3.Connection, id: str, said: Beginning, now: float) -> Place:
    """Make a session."""
    made = connection.execute(
        "INSERT INTO sessions (id, kind, parent, created, updated, title, model, source, workspace)"
        " VALUES (?,?,?,?,?,?,?,?,?)",
        (id, said.kind, said.parent, now, now, said.title, said.model, said.source, said.workspace),
    )
    number = int(made.lastrowid or 0)
    connection.execute(
        "INSERT INTO session_prompts VALUES (?, ?, ?)", (number, said.system, said.tools)
    )
    return Place(number, id)


def add(
    connection: sqlite3.Connection,
    place: Place,
    message: Message,
    at: float,
    about: Mapping[str, Any],
) -> int:
    """Add a message; return its id.

    Raises:
        HermesError: the session was deleted meanwhile.
    """
    begins = opening(message) if message.role == "user" else ""
    grown = connection.execute(
        _GROW, (at, len(message.calls), begins, begins, place.number, place.id)
    ).fetchone()
    if grown is None:
        raise HermesError(
            f"the session {place.id} is gone: it was deleted meanwhile",
            hint="Start another one; what was said in it is not kept.",
        )
    row = packed(message, about)
    tag = f"{row.role} child" if grown[0] == "child" else row.role
    values = (place.number, 0, at, row.role, tag, *row[1:])
    return int(connection.execute(_INSERT, values).lastrowid or 0)


def spend(connection: sqlite3.Connection, place: Place, usage: Mapping[str, Json]) -> None:
    """Add to what a session has cost."""
    tokens = [int(usage.get(name) or 0) for name in ("input", "output", "cached", "reasoning")]
    dollars = usage.get("dollars")
    connection.execute(_SPEND, (*tokens, dollars, dollars, place.number))


def copy(connection: sqlite3.Connection, source: int, target: Place, last: int) -> None:
    """Copy a session's messages up to one, with what was compacted of them."""
    asked = "SELECT id FROM session_messages WHERE session = ? AND id <= ? ORDER BY id"
    before = [number for (number,) in connection.execute(asked, (source, last))]
    connection.execute(_COPY, (target.number, source, last))
    after = connection.execute(asked, (target.number, 1 << 62))
    places = {old: new for old, (new,) in zip(before, after, strict=True)}
    asked = "SELECT summary, kept_from FROM sessions WHERE number = ?"
    summary, kept = connection.execute(asked, (source,)).fetchone()
    if summary not in places:
        summary = kept = None
    connection.execute(
        "UPDATE sessions SET messages = ?, summary = ?, kept_from = ?, calls ="
        " (SELECT total(CASE WHEN json_valid(more) THEN json_array_length(more, '$.calls') END)"
        " FROM session_messages WHERE session = sessions.number),"
        " opening = (SELECT opening FROM sessions AS old WHERE old.number = ?) WHERE number = ?",
        (len(before), places.get(summary), places.get(kept), source, target.number),
    )


def compact(connection: sqlite3.Connection, place: Place, summary: int, kept_from: int) -> None:
    """Let a summary stand for all messages before one."""
    connection.execute(
        "UPDATE sessions SET summary = ?, kept_from = ? WHERE number = ?",
        (summary, kept_from, place.number),
    )


def delete(connection: sqlite3.Connection, places: Iterable[Place]) -> None:
    """Delete sessions with their messages; forks of them stay, without a parent."""
    connection.execute("PRAGMA secure_delete = ON")
    try:
        for number, id in places:
            connection.execute("DELETE FROM session_messages WHERE session = ?", (number,))
            connection.execute("DELETE FROM session_prompts WHERE session = ?", (number,))
            connection.execute("DELETE FROM sessions WHERE number = ?", (number,))
            connection.execute("UPDATE sessions SET parent = '' WHERE parent = ?", (id,))
    finally:
        connection.execute("PRAGMA secure_delete = OFF")
