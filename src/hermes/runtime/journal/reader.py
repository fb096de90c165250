"""Read the journal: calls as entries, newest first, and the proof that nothing was changed."""

from __future__ import annotations

import contextlib
import itertools
import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from hermes.base.errors import HermesError
from hermes.runtime.journal.chain import Verification, last_number, walk
from hermes.runtime.journal.records import Entry, Status, encode, origin_of, read
from hermes.runtime.journal.recovery import is_alive
from hermes.runtime.journal.schema import made_version, missing

log = logging.getLogger(__name__)

_ENDED = "(SELECT records FROM journal_links WHERE kind = 'outcome' AND ticket = asked.ticket)"
_CALLS = (
    f"SELECT id, kind, ticket, records, CASE kind WHEN 'intent' THEN {_ENDED} END AS ended"
    " FROM journal_links AS asked WHERE kind <> 'outcome'"
)
_NEW = (
    "SELECT asked.id, asked.kind, asked.ticket, asked.records,"
    " CASE new.kind WHEN 'outcome' THEN new.records END"
    " FROM journal_links AS new JOIN journal_links AS asked ON asked.id = CASE new.kind"
    " WHEN 'outcome' THEN"
    " (SELECT id FROM journal_links WHERE kind = 'intent' AND ticket = new.ticket)"
    " ELSE new.id END WHERE new.id > ? ORDER BY new.id"
)
_CANNOT_OPEN = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR")
_FOLLOW_SECONDS = 0.2


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
        """Return what leaves out links without a wanted call, and its values."""
        parts: list[tuple[str, Any]] = [
            ("instr(records, ?)", _text(self.tool)),
            ("instr(records, ?)", _text(self.task_id)),
            ("id < ?", self.before),
            ("kind = ?", "intent" if self.status in {"running", "maybe done"} else None),
        ]
        wanted = [(text, value) for text, value in parts if value is not None]
        return "".join(f" AND {text}" for text, _ in wanted), [value for _, value in wanted]

    def fits(self, entry: Entry) -> bool:
        """Say whether a call is wanted."""
        return (
            self.tool in {None, entry.tool}
            and self.task_id in {None, entry.task_id}
            and self.status in {None, entry.status}
            and (self.since is None or entry.started >= self.since)
            and (self.before is None or entry.id < self.before)
        )


class Reader:
    """Answer questions about a journal without ever writing to it."""

    def __init__(self, path: Path, guard: AbstractContextManager[None]) -> None:
        self.path = path
        self._folder = path.parent / "journal"
        self._guard = guard

    def entries(self, query: Query) -> list[Entry]:
        """Return the calls that fit, newest first."""
        where, values = query.conditions()
        with self._calls(where, values) as calls:
            found = list(itertools.islice(filter(query.fits, calls), query.limit))
        # rows stand in the order in which they came to the disk, which is nearly that of the calls
        return sorted(found, key=lambda entry: entry.started, reverse=True)

    def entry(self, call_id: str) -> Entry | None:
        """Return the newest call with this id, or the only one whose id begins so."""
        if not call_id:
            return None
        begins = f"[{_text(call_id)[:-1]}"
        with self._calls(" AND instr(records, ?)", [f'{begins}"']) as calls:
            for entry in calls:
                if entry.call_id == call_id:
                    return entry
        only: Entry | None = None
        with self._calls(" AND instr(records, ?)", [begins]) as calls:
            for entry in calls:
                if entry.call_id.startswith(call_id):
                    if only is not None and entry.call_id != only.call_id:
                        return None
                    only = only or entry
        return only

    def unfinished(self) -> list[Entry]:
        """Return the intents without outcome whose process is gone, oldest first."""
        with self._calls(" AND kind = 'intent' AND ended IS NULL", []) as calls:
            return [entry for entry in calls if entry.status == "maybe done"][::-1]

    def follow(self, query: Query, last: int, stop: threading.Event) -> Iterator[Entry]:
        """Yield calls written after a row, an intent once when asked and once when it ended.

        SQLite tells other processes of a commit only when they ask, so this asks a few times a
        second; a question without news reads one page.
        """
        while not stop.is_set():
            with self._connected() as connection:
                rows = connection.execute(_NEW, (last,)).fetchall() if connection else []
                last = max(last, last_number(connection)) if connection and rows else last
            for row in rows:
                yield from filter(query.fits, self._entries(*row))
            stop.wait(_FOLLOW_SECONDS)

    def last_row(self) -> int:
        """Return the number of the newest row, 0 when there is none."""
        with self._connected() as connection:
            return last_number(connection) if connection else 0

    def verify(self) -> Verification:
        """Walk the whole chain and report the first row that breaks it."""
        with self._connected(whole=False) as connection:
            return walk(connection) if connection else Verification(ok=True, rows=0)

    @contextlib.contextmanager
    def _calls(self, where: str, values: list[Any]) -> Iterator[Iterator[Entry]]:
        """Give the calls of the links that a condition lets through, newest first."""
        with self._connected() as connection:
            if connection is None:
                yield iter(())
                return
            rows = connection.execute(f"{_CALLS}{where} ORDER BY id DESC", values)
            with contextlib.closing(rows):  # or the connection outlives its end
                yield (entry for row in rows for entry in self._entries(*row, newest_first=True))

    def _entries(
        self,
        number: int,
        kind: str,
        ticket: str,
        records: str,
        ended: str | None,
        *,
        newest_first: bool = False,
    ) -> Iterator[Entry]:
        lines = list(enumerate(records.split("\n"), number))
        is_open = kind == "intent" and ended is None
        alive = is_open and is_alive(self._folder, origin_of(ticket))
        for row, line in reversed(lines) if newest_first else lines:
            try:
                entry = read(row, ticket, line, ended, alive=alive)
            except (msgspec.DecodeError, ValueError, TypeError) as error:
                log.warning("journal: row %d of %s is no record: %s", row, self.path, error)
            else:
                yield entry

    @contextlib.contextmanager
    def _connected(self, *, whole: bool = True) -> Iterator[sqlite3.Connection | None]:
        """Open the database for reading; None when there is no journal yet, or no whole one."""
        if not self.path.exists():
            yield None
            return
        try:
            with self._guard, contextlib.closing(self._open()) as connection:
                is_there = made_version(connection) is not None
                is_there = is_there and not (whole and "journal_links" in missing(connection))
                yield connection if is_there else None
        except sqlite3.Error as error:
            raise HermesError(
                f"the journal {self.path} cannot be read: {error}",
                hint="Run `hermes doctor`; the next recorded call sets a damaged file aside.",
            ) from error

    def _open(self) -> sqlite3.Connection:
        """Open read-only; where SQLite cannot make its files beside it, as a file at rest."""
        place = f"file:{quote(str(self.path.absolute()))}"
        connection = sqlite3.connect(f"{place}?mode=ro", uri=True, timeout=5)
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        except sqlite3.OperationalError as error:
            connection.close()
            if not (error.sqlite_errorname or "").startswith(_CANNOT_OPEN):
                raise
            log.warning("journal: %s is read as it was last closed: %s", self.path, error)
            return sqlite3.connect(f"{place}?mode=ro&immutable=1", uri=True)
        return connection


def _text(value: str | None) -> Any:
    """Return a text as it stands in a record."""
    return None if value is None else encode(value).decode()
