"""Read the journal: calls as entries, newest first, and the proof that nothing was changed."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hermes.base.errors import HermesError
from hermes.runtime.journal.records import Entry, Status, origin_of, read
from hermes.runtime.journal.spool import is_alive
from hermes.runtime.journal.store import START, link

_OUTCOME = "(SELECT record FROM journal WHERE ticket = asked.ticket AND kind = 'outcome' LIMIT 1)"
_CALLS = f"SELECT id, ticket, record, {_OUTCOME} AS ended FROM journal AS asked"
_CODE = (
    "CASE substr(record, 3, 4) WHEN 'done' THEN json_extract(record, '$[11]')"
    " ELSE json_extract(ended, '$[3]') END"
)
_FOLLOW_SECONDS = 0.2
_LAST_CHARACTER = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Query:
    """Say which calls are wanted; `before` is an entry's id, for the next page."""

    limit: int = 50
    tool: str | None = None
    task_id: str | None = None
    since: float | None = None
    status: Status | None = None
    before: int | None = None

    def conditions(self) -> tuple[str, list[Any]]:
        """Return the WHERE clause and its values."""
        parts: list[tuple[str, Any]] = [
            ("tool = ?", self.tool),
            ("task_id = ?", self.task_id),
            ("json_extract(record, '$[9]') >= ?", self.since),
            ("id < ?", self.before),
        ]
        wanted = [(text, value) for text, value in parts if value is not None]
        texts = ["kind IN ('done', 'intent')", *(text for text, _ in wanted)]
        return " AND ".join(texts), [value for _, value in wanted]


@dataclass(frozen=True, slots=True)
class Verification:
    """Say whether the chain holds, and where it breaks first."""

    ok: bool
    rows: int
    first_bad: int | None = None
    reason: str | None = None


class Reader:
    """Answer questions about a journal without ever writing to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder = path.parent / "journal"

    def entries(self, query: Query) -> list[Entry]:
        """Return the calls that fit, newest first."""
        where, values = query.conditions()
        found: list[Entry] = []
        with self._connected() as connection:
            if connection is None:
                return found
            wanted = _STATUS_CONDITIONS.get(query.status or "", "1")
            rows = connection.execute(
                f"SELECT * FROM ({_CALLS} WHERE {where}) AS asked WHERE {wanted} ORDER BY id DESC",
                values,
            )
            for row in rows:
                entry = self._entry(row)
                if query.status is None or entry.status == query.status:
                    found.append(entry)
                if len(found) >= query.limit:
                    break
        return found

    def entry(self, call_id: str) -> Entry | None:
        """Return the newest call with this id, or the only one whose id begins so."""
        with self._connected() as connection:
            if connection is None:
                return None
            named = f"{_CALLS} WHERE kind IN ('done', 'intent') AND call_id"
            row = connection.execute(f"{named} = ? ORDER BY id DESC LIMIT 1", (call_id,)).fetchone()
            if row is None and call_id:
                row = self._only_one(connection, call_id)
            return self._entry(row) if row else None

    @staticmethod
    def _only_one(connection: sqlite3.Connection, prefix: str) -> tuple[Any, ...] | None:
        rows = connection.execute(
            f"{_CALLS} WHERE kind IN ('done', 'intent') AND call_id >= ? AND call_id < ?"
            " GROUP BY call_id HAVING id = max(id) LIMIT 2",
            (prefix, prefix + _LAST_CHARACTER),
        ).fetchall()
        return rows[0] if len(rows) == 1 else None

    def unfinished(self) -> list[Entry]:
        """Return the intents without outcome whose process is gone, oldest first."""
        with self._connected() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                f"{_CALLS} WHERE kind = 'intent' AND NOT EXISTS"
                " (SELECT 1 FROM journal WHERE ticket = asked.ticket AND kind = 'outcome')"
                " ORDER BY id"
            )
            entries = [self._entry(row) for row in rows]
        return [entry for entry in entries if entry.status == "maybe done"]

    def follow(self, query: Query, last: int, stop: threading.Event) -> Iterator[Entry]:
        """Yield calls written after a row, an intent once when asked and once when it ended.

        SQLite tells other processes of a commit only when they ask, so this asks for the
        database's version a few times a second; that reads no page.
        """
        while not stop.is_set():
            with self._connected() as connection:
                if connection is None:
                    stop.wait(_FOLLOW_SECONDS)
                    continue
                version = None
                while not stop.is_set():
                    now = connection.execute("PRAGMA data_version").fetchone()
                    if now != version:
                        version = now
                        for row, entry in self._after(connection, last):
                            last = row
                            if _fits(entry, query):
                                yield entry
                    stop.wait(_FOLLOW_SECONDS)

    def last_row(self) -> int:
        """Return the number of the newest row, 0 when there is none."""
        with self._connected() as connection:
            if connection is None:
                return 0
            row = connection.execute("SELECT max(id) FROM journal").fetchone()
            return int(row[0] or 0)

    def _after(self, connection: sqlite3.Connection, last: int) -> list[tuple[int, Entry]]:
        rows = connection.execute(
            "SELECT new.id, asked.id, asked.ticket, asked.record,"
            " CASE new.kind WHEN 'outcome' THEN new.record END"
            " FROM journal AS new JOIN journal AS asked ON asked.id = CASE new.kind WHEN 'outcome'"
            " THEN (SELECT id FROM journal WHERE ticket = new.ticket AND kind = 'intent')"
            " ELSE new.id END WHERE new.id > ? ORDER BY new.id",
            (last,),
        )
        return [(row[0], self._entry(row[1:])) for row in rows]

    def verify(self) -> Verification:
        """Walk the whole chain and report the first row that breaks it."""
        with self._connected() as connection:
            if connection is None:
                return Verification(ok=True, rows=0)
            return _walk(connection)

    def _entry(self, row: Sequence[Any]) -> Entry:
        number, ticket, record, ended = row
        is_open = ended is None and record.startswith('["intent"')
        alive = is_open and is_alive(self._folder, origin_of(ticket))
        return read(number, record, ended, alive=alive)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection | None]:
        """Open the database for reading; None when there is no journal yet."""
        if not self.path.exists():
            yield None
            return
        place = f"file:{quote(str(self.path.absolute()))}?mode=ro"
        try:
            with contextlib.closing(sqlite3.connect(place, uri=True, timeout=5)) as connection:
                tables = "SELECT 1 FROM sqlite_master WHERE name = 'journal_head'"
                yield connection if connection.execute(tables).fetchone() else None
        except sqlite3.Error as error:
            raise HermesError(
                f"the journal {self.path} cannot be read: {error}",
                hint="Run `hermes doctor`; the next recorded call sets a damaged file aside.",
            ) from error


_STATUS_CONDITIONS = {
    "ok": f"{_CODE} = 'ok'",
    "error": f"{_CODE} <> 'ok'",
    "running": f"{_CODE} IS NULL",
    "maybe done": f"{_CODE} IS NULL",
}


def _fits(entry: Entry, query: Query) -> bool:
    return (
        query.tool in {None, entry.tool}
        and query.task_id in {None, entry.task_id}
        and query.status in {None, entry.status}
    )


def _walk(connection: sqlite3.Connection) -> Verification:
    connection.execute("BEGIN")
    expected, last = 1, START

    def broken(reason: str) -> Verification:
        return Verification(ok=False, rows=expected - 1, first_bad=expected, reason=reason)

    try:
        rows = connection.execute("SELECT id, record, hash FROM journal ORDER BY id")
        for row, record, digest in rows:
            if row != expected:
                return broken(f"row {expected} is missing")
            if link(last, str(record)) != digest:
                return broken(f"row {row} does not follow from the row before it")
            expected, last = row + 1, digest
        head = connection.execute("SELECT id, hash FROM journal_head").fetchone() or (0, START)
    except (sqlite3.Error, UnicodeError) as error:
        return broken(f"row {expected} cannot be read: {error}")
    if head != (expected - 1, last):
        return broken(f"the journal once ended at row {head[0]}; it now ends at row {expected - 1}")
    return Verification(ok=True, rows=expected - 1)
