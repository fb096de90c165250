"""Read what is kept: sessions by name, their messages, and stretches of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hermes.base.errors import HermesError
from hermes.services.sessions.records import FACTS, MESSAGE, SUMMARY, Facts, Stored, unpacked
from hermes.services.sessions.writing import Place

_MOST_NAMED = 5
_END = 1 << 62


class Stretch(NamedTuple):
    """Some messages of a session, and how many are before the first and after the last."""

    session: Facts
    entries: tuple[Stored, ...]
    before: int
    after: int


def find(connection: sqlite3.Connection | None, name: str) -> Place:
    """Return the session of an id, of the beginning of one, or of a title.

    Raises:
        HermesError: there is none, or more than one.
    """
    hint = "'hermes sessions list' shows them all."
    if connection is None or not name.strip():
        raise HermesError(f"no session is called {name!r}", hint=hint)
    name = _sound(name.strip())
    for where, value in (
        ("id = ?", name.lower()),
        ("title = ? COLLATE NOCASE", name),
        (r"id LIKE ? ESCAPE '\'", f"{_literal(name.lower())}%"),
    ):
        asked = f"SELECT number, id FROM sessions WHERE {where} ORDER BY updated DESC LIMIT ?"
        found = connection.execute(asked, (value, _MOST_NAMED)).fetchall()
        if len(found) == 1:
            return Place(*found[0])
        if found:
            ids = ", ".join(id for _, id in found)
            raise HermesError(f"several sessions are called {name!r}: {ids}", hint=hint)
    raise HermesError(f"no session is called {name!r}", hint=hint)


def there(connection: sqlite3.Connection | None, id: str) -> sqlite3.Connection:
    """Return the connection.

    Raises:
        HermesError: nothing is kept here any more.
    """
    if connection is None:
        raise HermesError(f"the session {id} is gone: nothing is kept here any more")
    return connection


def facts(connection: sqlite3.Connection, place: Place) -> Facts:
    """Return what is known of a session.

    Raises:
        HermesError: it was deleted.
    """
    asked = f"SELECT {FACTS} FROM sessions WHERE number = ? AND id = ?"
    row = connection.execute(asked, place).fetchone()
    if row is None:
        raise HermesError(f"the session {place.id} is gone: it was deleted meanwhile")
    return Facts(*row)


def prompt(connection: sqlite3.Connection, place: Place) -> tuple[str, str]:
    """Return the system prompt that a session began with, and its tools as JSON text."""
    asked = "SELECT system, tools FROM session_prompts WHERE session = ?"
    return connection.execute(asked, (place.number,)).fetchone() or ("", "[]")


def compaction(connection: sqlite3.Connection, place: Place) -> tuple[int | None, int | None]:
    """Return the ids of the summary and of the first message after what it stands for."""
    asked = "SELECT summary, kept_from FROM sessions WHERE number = ?"
    return connection.execute(asked, (place.number,)).fetchone() or (None, None)


def fork_title(connection: sqlite3.Connection, session: Facts) -> str:
    """Return a title for the next fork of a session that no other one has."""
    if not session.title:
        return ""
    asked = "SELECT 1 FROM sessions WHERE title = ? COLLATE NOCASE"
    number, title = 1, f"{session.title} (fork)"
    while connection.execute(asked, (title,)).fetchone():
        number += 1
        title = f"{session.title} (fork {number})"
    return title


def with_children(connection: sqlite3.Connection, place: Place) -> list[Place]:
    """Return a session with all that worked for it, and for those."""
    asked = (
        "WITH RECURSIVE family (number, id) AS (SELECT ?, ? UNION"
        " SELECT child.number, child.id FROM sessions AS child JOIN family"
        " ON child.parent = family.id WHERE child.kind = 'child') SELECT number, id FROM family"
    )
    return [Place(*row) for row in connection.execute(asked, place)]


def whole_from(connection: sqlite3.Connection, place: Place, message: int) -> int:
    """Return the id of the last answer that belongs to a message, or its own.

    Raises:
        HermesError: the session has no such message.
    """
    around(connection, place, message, 0)
    next_one = (
        "SELECT min(id) FROM session_messages WHERE session = ? AND id > ? AND role <> 'tool'"
    )
    (after,) = connection.execute(next_one, (place.number, message)).fetchone()
    return _END if after is None else int(after) - 1


def listed(
    connection: sqlite3.Connection, which: Mapping[str, Any], limit: int, offset: int
) -> tuple[Facts, ...]:
    """Return sessions, the one used last first."""
    where, values = _conditions(which)
    rows = connection.execute(
        f"SELECT {FACTS} FROM sessions{where} ORDER BY updated DESC, number DESC LIMIT ? OFFSET ?",
        (*values, limit, offset),
    )
    return tuple(Facts(*row) for row in rows)


def _conditions(which: Mapping[str, Any]) -> tuple[str, list[Any]]:
    parts: list[str] = []
    values: list[Any] = []
    if not which.get("children"):
        parts.append("kind <> 'child'")
    for name in ("source", "workspace", "model", "parent"):
        if which.get(name):
            parts.append(f"{name} = ?")
            values.append(_sound(which[name]))
    for word in _sound(which.get("query") or "").split():
        names = "title || ' ' || opening || ' ' || id || ' ' || model || ' ' || workspace"
        parts.append(rf"{names} LIKE ? ESCAPE '\'")
        values.append(f"%{_literal(word)}%")
    return (" WHERE " + " AND ".join(parts) if parts else ""), values


def entries(
    connection: sqlite3.Connection, number: int, first: int = 0, last: int = _END
) -> Iterator[Stored]:
    """Yield the messages of a session between two ids, oldest first."""
    asked = (
        f"SELECT {MESSAGE} FROM session_messages"
        " WHERE session = ? AND id BETWEEN ? AND ? ORDER BY id"
    )
    return map(unpacked, connection.execute(asked, (number, first, last)))


def present(connection: sqlite3.Connection, number: int) -> list[Stored]:
    """Return what the model is shown: a summary stands for what was compacted."""
    summary, kept_from = compaction(connection, Place(number, ""))
    if summary is None or kept_from is None:
        return [entry for entry in entries(connection, number) if not is_summary(entry)]
    asked = (
        f"SELECT {MESSAGE} FROM session_messages"
        " WHERE session = ? AND role = 'system' AND id < ? ORDER BY id"
    )
    before = map(unpacked, connection.execute(asked, (number, min(kept_from, summary))))
    after = entries(connection, number, kept_from)
    return [
        *(entry for entry in before if not is_summary(entry)),
        *entries(connection, number, summary, summary),
        *(entry for entry in after if not is_summary(entry)),
    ]


def is_summary(entry: Stored) -> bool:
    """Say whether a message stands for others, now or before a later one did."""
    return entry.about.get(SUMMARY) is True


def around(connection: sqlite3.Connection, place: Place, message: int, window: int) -> Stretch:
    """Return a message with those before and after it.

    Raises:
        HermesError: the session has no such message.
    """
    before = _some(connection, place, "id < ? ORDER BY id DESC", message, window)[::-1]
    rest = _some(connection, place, "id >= ? ORDER BY id", message, window + 1)
    if not rest or rest[0].id != message:
        ids = "SELECT min(id), max(id) FROM session_messages WHERE session = ?"
        first, last = connection.execute(ids, (place.number,)).fetchone()
        raise HermesError(
            f"the session {place.id} has no message {message}",
            hint="It is empty." if first is None else f"Its messages are {first} to {last}.",
        )
    return _stretch(connection, place, [*before, *rest])


def ends(connection: sqlite3.Connection, place: Place, first: int, last: int) -> list[Stretch]:
    """Return how a session begins and how it ends: one stretch where that is all of it."""
    head = _some(connection, place, "id > ? ORDER BY id", 0, first)
    after = head[-1].id if head else 0
    tail = _some(connection, place, "id > ? ORDER BY id DESC", after, last)[::-1]
    whole = _stretch(connection, place, head)
    if whole.after <= len(tail):
        return [_stretch(connection, place, [*head, *tail])]
    return [whole, _stretch(connection, place, tail)]


def bookends(connection: sqlite3.Connection, number: int, count: int) -> list[list[Stored]]:
    """Return the first and the last of what people and the model said in a session."""
    place = Place(number, "")
    said = "role IN ('user', 'assistant') AND text <> '' AND id > ? ORDER BY id"
    first = _some(connection, place, said, 0, count)
    after = first[-1].id if first else 0
    return [first, _some(connection, place, f"{said} DESC", after, count)[::-1]]


def _some(
    connection: sqlite3.Connection, place: Place, where: str, value: int, limit: int
) -> list[Stored]:
    asked = f"SELECT {MESSAGE} FROM session_messages WHERE session = ? AND {where} LIMIT ?"
    return [unpacked(row) for row in connection.execute(asked, (place.number, value, limit))]


def _stretch(connection: sqlite3.Connection, place: Place, found: list[Stored]) -> Stretch:
    counts = (0, 0)
    if found:
        asked = "SELECT total(id < ?), total(id > ?) FROM session_messages WHERE session = ?"
        counts = connection.execute(asked, (found[0].id, found[-1].id, place.number)).fetchone()
    return Stretch(facts(connection, place), tuple(found), int(counts[0]), int(counts[1]))


def _literal(text: str) -> str:
    """Return a text for LIKE in which nothing stands for something else."""
    return text.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")


def _sound(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
