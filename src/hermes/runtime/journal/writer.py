"""Move records to the database in one background thread, together and when there is a pause."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from hermes.base.errors import HermesError
from hermes.runtime.journal.chain import Link
from hermes.runtime.journal.forks import ForkGuard
from hermes.runtime.journal.ledger import Ledger
from hermes.runtime.journal.spool import Spool
from hermes.runtime.journal.store import Store

log = logging.getLogger(__name__)

TROUBLE = (sqlite3.Error, OSError, HermesError)
_QUIET_SECONDS = 0.025
_LONGEST_DELAY_SECONDS = 2.0
_RETRY_SECONDS = 1.0
_FULL_SECONDS = 10.0
_LITTLE = 64 << 10  # bytes that delay an intent by less than its own fsync
_QUICK_SECONDS = 0.002
_SLOW_SECONDS = 1.0


def _shut(_line: bytes) -> NoReturn:
    raise ValueError("no spool is open")


class _Waiting(NamedTuple):
    """Hold what is to be written durably, and who is told what then."""

    link: Link | None
    future: Future[Any]
    result: str | None = None


class Writer:
    """Own the spool and the thread; both appear with the first record.

    A thread that records calls `write`, which raises ValueError when there is no room, then
    `rouse` if the writer is `asleep`. `problem` holds the first thing that went wrong and `lost`
    the number of spooled records it cost.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem: str | None = None
        self.lost = 0
        self.guard = ForkGuard(self._let_go, self._start_over)
        """Held by whoever works with the database, so that no fork happens meanwhile."""
        self._left: list[Store] = []
        self._store = Store(path)
        self._reset()

    def _reset(self) -> None:
        self.write: Callable[[bytes], object] = _shut
        self.asleep = True
        self._spool: Spool | None = None
        self._ledger: Ledger | None = None
        self._slow_until = 0.0
        self._changed = threading.Condition()
        self._wake = threading.Event()
        self._urgent = threading.Event()
        self._waiting: deque[_Waiting] = deque()
        self._thread: threading.Thread | None = None
        self._is_failing = False
        self._is_closing = False
        self._next_try = 0.0

    @property
    def is_running(self) -> bool:
        """Say whether anything was recorded since the start or the last close."""
        return self._thread is not None

    def origin(self) -> str:
        """Return the name under which this process writes.

        Raises:
            OSError: the spool cannot be made.
        """
        with self._changed:
            return self._opened().origin

    def put(self, line: bytes) -> None:
        """Spool a record that `write` had no room for; never raises."""
        try:
            with self._changed:
                self._opened()
                if not self._write_or_swap(line):
                    self.lost += 1
                    self.report("the spool is full and cannot be moved to the database")
        except OSError as error:
            self.lost += 1
            self.report(error)

    @property
    def is_sound(self) -> bool:
        """Say whether the database took what was last moved to it."""
        return not self._is_failing

    def keep(self, link: Link) -> bool:
        """Leave a link where a kill -9 cannot lose it; False when it must be submitted instead."""
        ledger = self._ledger
        if ledger is None:
            return False
        try:
            ledger.append(link)
        except OSError:
            return False
        if self.asleep or ledger.is_filling:
            self.rouse(urgent=ledger.is_filling)
        return True

    def synced(self, *, is_patient: bool = False) -> bool:
        """Have what was kept survive a power cut; False when the thread is to wait for that.

        A disk that answers at once is waited for here, which costs less than telling a thread; one
        that took its time is left to the thread for a while, unless the caller is patient.
        """
        ledger, started = self._ledger, time.monotonic()
        if ledger is None or (started < self._slow_until and not is_patient):
            return False
        try:
            ledger.sync()
        except OSError:
            return False
        ended = time.monotonic()
        if ended - started > _QUICK_SECONDS:
            self._slow_until = ended + _SLOW_SECONDS
        return True

    def submit(self, link: Link | None, result: str | None = None) -> Future[Any]:
        """Write a link durably, then give the result; None waits for all recorded before."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # what is queued is written, come what may
        self._waiting.append(_Waiting(link, future, result))
        self.rouse(urgent=True)
        return future

    def flush(self, timeout: float) -> None:
        """Wait until all that was recorded is in the database, or the time is up."""
        if self.is_running:
            wait([self.submit(None)], timeout)

    def close(self) -> None:
        """Move everything and end the thread; what cannot be moved stays in the spool's file."""
        with self._changed:
            thread, self._is_closing = self._thread, True
        if thread is not None:
            self._urgent.set()
            self._wake.set()
            thread.join(_FULL_SECONDS)
        self._start_over()

    def report(self, error: BaseException | str) -> HermesError:
        """Log and keep the first problem; return it as an error to raise."""
        message = f"the journal {self.path} cannot be written: {error}"
        if self.problem is None:
            log.error("%s", message)
            self.problem = message
        return HermesError(message, hint="Free disk space or mend the folder's permissions.")

    def rouse(self, *, urgent: bool = False) -> None:
        """Wake the thread, started when there is none."""
        self.asleep = False
        if urgent:
            self._urgent.set()
        if self._thread is None:
            self._start()
        self._wake.set()

    def _start(self) -> None:
        with self._changed:
            if self._thread is not None or self._is_closing:
                return
            self._thread = threading.Thread(target=self._work, name="hermes-journal", daemon=True)
            try:
                self._thread.start()
            except RuntimeError as error:  # the interpreter is ending; the spool keeps the records
                self._thread = None
                _resolve(self._taken(), self.report(error))

    def _opened(self) -> Spool:
        if self._spool is None:
            now = time.monotonic()
            if now < self._next_try:
                raise OSError(self.problem or "the spool cannot be made")
            self._next_try = now + _RETRY_SECONDS
            with self.guard:
                self._spool = Spool(self.path.parent / "journal")
            self.write = self._spool.write
            self._next_try = 0.0
        return self._spool

    def _write_or_swap(self, line: bytes) -> bool:
        deadline = time.monotonic() + _FULL_SECONDS
        while True:
            self._opened()  # a close meanwhile has given the spool up
            try:
                self.write(line)
            except ValueError:
                if self._swap():
                    continue
            else:
                return True
            self.rouse(urgent=True)
            left = deadline - time.monotonic()
            if self._is_failing or left <= 0 or not self._changed.wait(left):
                return False

    def _swap(self) -> bool:
        if self._spool is None or not self._spool.swap():
            return False
        self.write = self._spool.write
        return True

    def _let_go(self) -> None:
        """Close the database before a fork; the next record opens it again."""
        self._store.close()

    def _start_over(self) -> None:
        """Let go of the spool, whose file another process may own, and forget the thread."""
        self.write = _shut
        if self._spool is not None:
            self._spool.abandon()
        if self._ledger is not None:
            self._ledger.abandon()
        if self._store.is_open:  # the fork could not wait: closing would disturb the parent
            self._left.append(self._store)
        self._store = Store(self.path)
        self._reset()

    def _work(self) -> None:
        """Move records until the journal is closed; this is the thread."""
        store, has_recovered = self._store, False
        while self._thread is threading.current_thread():
            self._wake.wait()
            self._wake.clear()
            self._gather()
            is_last = self._is_closing
            self._drain(is_last=is_last)
            if not has_recovered and not self._is_failing:
                has_recovered = True
                self._attempt(store.recover)
            if is_last:
                break
            self.asleep = True
            if self._waiting or self._has_spooled():
                self.rouse()
        with self.guard:
            store.close()

    def _has_spooled(self) -> bool:
        """Say whether records wait that can be moved; while the disk fails, the next one asks."""
        if self._is_failing or self._spool is None:
            return False
        return not self._spool.is_empty or (self._ledger is not None and not self._ledger.is_moved)

    def _gather(self) -> None:
        """Wait for a pause, so that records move together and not while calls are made."""
        last = None
        pause = _RETRY_SECONDS if self._is_failing else _QUIET_SECONDS
        deadline = time.monotonic() + _LONGEST_DELAY_SECONDS
        while not self._urgent.wait(pause):
            now = self._position()
            if now == last or time.monotonic() >= deadline:
                return
            last = now

    def _position(self) -> tuple[int, int]:
        """Return what changes with every record."""
        spool, ledger = self._spool, self._ledger
        return (spool.position() if spool else -1, ledger.number if ledger else -1)

    def _taken(self) -> list[_Waiting]:
        return [self._waiting.popleft() for _ in range(len(self._waiting))]

    def _drain(self, *, is_last: bool) -> None:
        self._urgent.clear()
        waiting = self._taken()
        links = [one.link for one in waiting if one.link is not None]
        error = None
        if links or self._ledger is not None:
            if self._spool is not None and self._spool.position() < _LITTLE:
                self._attempt(lambda: self._move(is_last=False))  # keep the order of calls
            error = self._attempt(lambda: self._append(links))
        _resolve([one for one in waiting if one.link is not None], error)
        error = self._attempt(lambda: self._move(is_last=is_last and error is None)) or error
        with self._changed:
            self._is_failing = error is not None
            self._changed.notify_all()
        _resolve([one for one in waiting if one.link is None], error)
        if links and error is None and not is_last and self._ledger is None:
            self._attempt(self._open_ledger)

    def _append(self, links: list[Link]) -> None:
        """Write durably what was kept in the ledger, then links that came another way."""
        ledger = self._ledger
        kept = ledger.waiting() if ledger is not None else []
        mark = (ledger.mark, kept[-1].number) if ledger is not None and kept else None
        links = [*(one.link for one in kept), *links]
        if not links:
            return
        self._store.append(links, durable=True, mark=mark)
        if ledger is not None and kept:
            ledger.moved(kept[-1].number)

    def _open_ledger(self) -> None:
        """Have effects announced in a file of their own, now that the database is known to work."""
        with self._changed:
            spool = self._spool
        if spool is not None:
            self._ledger = Ledger(self._store.folder, spool.origin)

    def _attempt(self, work: Callable[[], object]) -> HermesError | None:
        try:
            with self.guard:
                work()
        except TROUBLE as error:
            return self.report(error)
        except Exception as error:  # the thread must live on, and whoever waits must be told
            log.exception("journal: records could not be moved")
            return self.report(error)
        return None

    def _move(self, *, is_last: bool) -> None:
        """Move both halves of the spool; the last time, give the file up."""
        spool = self._spool
        if spool is None:
            return
        self._move_retired(spool)
        with self._changed:
            if is_last:
                self.write = _shut
                spool.swap()
            elif not spool.is_empty:
                self._swap()
        self._move_retired(spool)
        if is_last:
            self._give_up_ledger()
            self._spool = None
            spool.remove()
            self._store.forget(spool.origin)

    def _give_up_ledger(self) -> None:
        ledger = self._ledger
        if ledger is None:
            return
        ledger.shut()
        self._append([])
        ledger.remove()
        self._ledger = None
        self._store.forget(ledger.mark)

    def _move_retired(self, spool: Spool) -> None:
        batch = spool.retired()
        if batch is None:
            return
        if batch.data:
            self._store.append_batch(spool.origin, batch)
        with self._changed:
            spool.release()
            self._changed.notify_all()


def _resolve(waiting: Iterable[_Waiting], error: HermesError | None) -> None:
    for _, future, result in waiting:
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
