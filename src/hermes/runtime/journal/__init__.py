"""Write down every call: durable before an effect, off the hot path for calls that only read.

`done` leaves the record in a memory-mapped spool, which outlives a kill -9, and one thread moves
spooled records to the database when there is a pause. `intend` waits for the disk; `conclude`
leaves the outcome in a ledger, which outlives a kill -9 too and is on the disk with the next
intent or pause. A power cut may take the last moments of `done` records and of outcomes, whose
calls are then *maybe done*; never an intent that was acknowledged.
"""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from hermes.base.digests import digest_of_text
from hermes.base.errors import HermesError
from hermes.base.redact import Redactor
from hermes.runtime.journal.chain import Link, Verification
from hermes.runtime.journal.reader import Query, Reader
from hermes.runtime.journal.records import (
    DoneRecord,
    Entry,
    IntentRecord,
    OutcomeRecord,
    Status,
    encode,
    encode_lines,
)
from hermes.runtime.journal.screen import SHORT, Screen
from hermes.runtime.journal.store import Store
from hermes.runtime.journal.writer import TROUBLE, Writer

__all__ = ["DoneRecord", "Entry", "IntentRecord", "Journal", "OutcomeRecord", "Verification"]

_LONGEST_WAIT_SECONDS = 60.0
_TICKET = re.compile(r"[\w-]+\.i[0-9]+")


class Journal:
    """Record calls and read them back; opened by the first record, closed by its maker.

    Records may be plain tuples in the order of `DoneRecord`, `IntentRecord`, `OutcomeRecord`.
    """

    def __init__(self, path: Path, *, redactor: Redactor | None = None) -> None:
        self.path = path
        self._screen = Screen(redactor or Redactor({}))
        self._passes = self._screen.passes
        self._writer = Writer(path)
        self._reader = Reader(path, self._writer.guard)
        self._numbers = itertools.count(1)

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
            line = encode_lines((record,))
            if len(line) > SHORT or not self._passes(record):
                line = self._screen.encoded(record) + b"\n"
            writer.write(line)
        except Exception:  # no room, or an argument whose own code raises anything
            writer.put(self._screen.encoded(record) + b"\n")
        if writer.asleep:
            writer.rouse()

    def intend(self, record: Sequence[Any], *, durable: bool = True) -> Future[str]:
        """Record a call before its effect; the future gives a ticket once that is on disk.

        One that need not be durable may be lost in a power cut, like its effect if it has one.
        The future fails with a HermesError when it cannot be written: the effect must not run.
        """
        try:
            ticket, link = self._linked(record)
        except OSError as error:
            return _failed(self._writer.report(error))
        if not self._is_kept(link):
            return self._writer.submit(link, ticket)
        if not durable or self._writer.synced():
            return _given(ticket)
        waiting = self._writer.submit(None, ticket)
        waiting.add_done_callback(lambda done: self._take_back(done, ticket, record[0]))
        return waiting

    def announce(
        self, record: Sequence[Any], digest: Callable[[str], str] = digest_of_text
    ) -> tuple[str, Callable[[], None]]:
        """Record a call before its effect, for a thread that may wait; return a ticket and that.

        What is returned waits until the record is on disk, and raises a HermesError when it cannot
        be written: the effect must not run, and `conclude` is to say so. ``digest`` gives the
        SHA-256 of a text that is too long to be kept whole.

        Raises:
            HermesError: there is nothing to write to.
        """
        try:
            ticket, link = self._linked(record, digest)
        except OSError as error:
            raise self._writer.report(error) from error
        submitted = None if self._is_kept(link) else self._writer.submit(link)

        def wait() -> None:
            if submitted is None and self._writer.synced(is_patient=True):
                return
            try:
                (submitted or self._writer.submit(None)).result(_LONGEST_WAIT_SECONDS)
            except TimeoutError:
                raise self._writer.report("the disk does not answer") from None

        return ticket, wait

    def _linked(
        self, record: Sequence[Any], digest: Callable[[str], str] = digest_of_text
    ) -> tuple[str, Link]:
        ticket = f"{self._writer.origin()}.i{next(self._numbers)}"
        return ticket, Link("intent", ticket, self._screen.encoded(record, digest).decode())

    def _is_kept(self, link: Link) -> bool:
        return self._writer.is_sound and self._writer.keep(link)

    def conclude(self, ticket: str, record: Sequence[Any]) -> Future[None]:
        """Record how the call with this ticket ended; the future is done once that is safe."""
        if not _TICKET.fullmatch(ticket):
            return _failed(HermesError(f"{ticket!r} is no ticket of an intended call"))
        link = Link("outcome", ticket, self._screen.encoded(record).decode())
        return _DONE if self._writer.keep(link) else self._writer.submit(link)

    def _take_back(self, intended: Future[str], ticket: str, call_id: str) -> None:
        """Say of an intent that was kept, but not durably, that its call did not run."""
        if intended.exception() is not None:
            record = encode((call_id, "journal_unwritable", None, 0.0, 0)).decode()
            self._writer.keep(Link("outcome", ticket, record))

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

    def _settle(self) -> None:
        """Bring what is still spooled, here or by dead processes, into the database."""
        if self._writer.is_running:
            self._writer.flush(5)
        elif any((self.path.parent / "journal").glob("*.spool")):
            store = Store(self.path)
            with self._writer.guard:
                try:
                    store.recover()
                except TROUBLE as error:
                    self._writer.report(error)
                finally:
                    store.close()


def _given(value: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(value)
    return future


_DONE = _given(None)


def _failed(error: HermesError) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(error)
    return future


class ReticentJournal(Journal):
    """Record calls without their arguments."""

    def done(self, record: Sequence[Any]) -> None:
        """Record a finished call that only read."""
        super().done((*record[:4], {}, *record[5:]))

    def _linked(
        self, record: Sequence[Any], digest: Callable[[str], str] = digest_of_text
    ) -> tuple[str, Link]:
        return super()._linked((*record[:4], {}, *record[5:]), digest)
