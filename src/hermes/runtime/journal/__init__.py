"""Write down every call: durable before an effect, off the hot path for calls that only read.

`done` leaves the record in a memory-mapped spool, which outlives a kill -9, and one thread moves
spooled records to the database when there is a pause. `intend` and `conclude` wait for the disk;
all that wait at the same time share one transaction. A power cut may take the last moments of
`done` records, never an intent or an outcome that was acknowledged.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from hermes.base.errors import HermesError
from hermes.base.redact import Redactor, is_secret_name
from hermes.runtime.journal.reader import Query, Reader, Verification
from hermes.runtime.journal.records import (
    DoneRecord,
    Entry,
    IntentRecord,
    OutcomeRecord,
    Status,
    careful,
    encode,
    stored,
)
from hermes.runtime.journal.spool import checksum, frame, pack
from hermes.runtime.journal.store import Store
from hermes.runtime.journal.writer import TROUBLE, Writer

__all__ = ["DoneRecord", "Entry", "IntentRecord", "Journal", "OutcomeRecord", "Verification"]

log = logging.getLogger(__name__)

_SHORT = 1_500  # bytes; a longer record may hold a text that must be cut
_MOST_NAMES = 10_000
_OUTCOME_FIELDS = len(OutcomeRecord._fields)


class Journal:
    """Record calls and read them back; opened by the first record, closed by its maker.

    Records may be plain tuples in the order of `DoneRecord`, `IntentRecord`, `OutcomeRecord`.
    """

    def __init__(self, path: Path, *, redactor: Redactor | None = None) -> None:
        self.path = path
        self._redactor = redactor or Redactor({})
        self._writer = Writer(path)
        self._reader = Reader(path)
        self._lock = threading.Lock()
        self._tickets: dict[str, list[str]] = {}
        self._numbers = itertools.count(1)
        self._ordinary: set[str] = set()

    @property
    def problem(self) -> str | None:
        """Say what first went wrong with writing, or None."""
        return self._writer.problem

    @property
    def lost(self) -> int:
        """Return the number of records that could not be kept."""
        return self._writer.lost

    def done(self, record: Sequence[Any]) -> None:
        """Record a finished call that only read; never raises and does not wait for the disk."""
        writer = self._writer
        try:
            data = encode(record)
            # Only the arguments can hold a secret, unless there are changes or an error text.
            where = data if record[5] or record[10] is not None else encode(record[4])
            if (
                len(data) > _SHORT
                or not self._ordinary.issuperset(record[4])
                or self._redactor.suspect(where) is not None
            ):
                data = self._encoded(record)
            writer.write(pack(len(data), checksum(data)) + data)
        except Exception:  # no room, or an argument whose own code raises anything
            writer.put(frame(self._encoded(record)))
        if writer.asleep:
            writer.rouse()

    def intend(self, record: Sequence[Any]) -> Future[None]:
        """Record a call before its effect; the future is done once the record is on disk.

        The future fails with a HermesError when it cannot be written: the effect must not run.
        """
        call = str(record[0])
        try:
            ticket = f"{self._writer.origin()}.i{next(self._numbers)}"
        except OSError as error:
            return _failed(self._writer.report(error))
        with self._lock:
            self._tickets.setdefault(call, []).append(ticket)
        future = self._writer.submit(stored("intent", ticket, self._encoded(record)))
        future.add_done_callback(lambda ended: ended.exception() and self._take(call, ticket))
        return future

    def conclude(self, record: Sequence[Any]) -> Future[None]:
        """Record how an intended call ended; the future is done once the record is on disk."""
        ticket = self._take(str(record[0]))
        if ticket is None:
            return _failed(HermesError(f"no call {record[0]!r} was intended here"))
        return self._writer.submit(stored("outcome", ticket, self._encoded(record)))

    def flush(self, timeout: float = 5) -> None:
        """Wait until everything recorded so far is in the database, or the time is up."""
        self._writer.flush(timeout)

    def close(self) -> None:
        """Move everything to the database and let go of the files; a later record opens again."""
        self._writer.close()

    def entries(
        self,
        *,
        limit: int = 50,
        tool: str | None = None,
        task_id: str | None = None,
        since: float | None = None,
        status: Status | None = None,
        before: int | None = None,
    ) -> list[Entry]:
        """Return calls, newest first; `since` is a wall-clock time, `before` an entry's id."""
        self._settle()
        return self._reader.entries(Query(limit, tool, task_id, since, status, before))

    def entry(self, call_id: str) -> Entry | None:
        """Return a call by its id or by the beginning of its id, when only one begins so."""
        self._settle()
        return self._reader.entry(call_id)

    def follow(
        self,
        *,
        tool: str | None = None,
        task_id: str | None = None,
        status: Status | None = None,
        stop: threading.Event | None = None,
    ) -> Iterator[Entry]:
        """Yield calls as they are recorded, from now until `stop` is set."""
        self._settle()
        query = Query(tool=tool, task_id=task_id, status=status)
        return self._reader.follow(query, self._reader.last_row(), stop or threading.Event())

    def verify(self) -> Verification:
        """Prove that no recorded row was changed, dropped or slipped in."""
        self._settle()
        return self._reader.verify()

    def unfinished(self) -> list[Entry]:
        """Return calls that began an effect and whose process died before it ended."""
        self._settle()
        return self._reader.unfinished()

    def _encoded(self, record: Sequence[Any]) -> bytes:
        try:
            data = encode(record)
            is_clean = len(data) <= _SHORT and self._redactor.suspect(data) is None
            if is_clean and self._are_ordinary(record):
                return data
        except Exception as error:  # an argument's own code may raise anything
            log.debug("journal: a record needs care: %s", type(error).__name__)
        return careful(record, self._redactor)

    def _are_ordinary(self, record: Sequence[Any]) -> bool:
        """Say whether no argument has a secret's name; remember the names that do not."""
        names = record[4] if len(record) > _OUTCOME_FIELDS and isinstance(record[4], dict) else ()
        ordinary = {name for name in names if not is_secret_name(str(name))}
        if len(self._ordinary) < _MOST_NAMES:
            self._ordinary |= ordinary
        return len(ordinary) == len(names)

    def _take(self, call: str, ticket: str | None = None) -> str | None:
        """Take the oldest open ticket of a call, or the given one, off the list."""
        with self._lock:
            tickets = self._tickets.get(call, [])
            if not tickets or ticket not in {None, *tickets}:
                return None
            taken = ticket or tickets[0]
            tickets.remove(taken)
            if not tickets:
                del self._tickets[call]
            return taken

    def _settle(self) -> None:
        """Bring what is still spooled, here or by dead processes, into the database."""
        if self._writer.is_running:
            self._writer.flush(5)
        elif any((self.path.parent / "journal").glob("*.spool")):
            store = Store(self.path)
            try:
                store.recover()
            except TROUBLE as error:
                self._writer.report(error)
            finally:
                store.close()


def _failed(error: HermesError) -> Future[None]:
    future: Future[None] = Future()
    future.set_exception(error)
    return future
