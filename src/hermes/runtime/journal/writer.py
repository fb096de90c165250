"""Move records to the database in one background thread, together and when there is a pause."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import NoReturn

from hermes.base.errors import HermesError
from hermes.runtime.journal.spool import Spool
from hermes.runtime.journal.store import Store

log = logging.getLogger(__name__)

TROUBLE = (sqlite3.Error, OSError, HermesError)
_QUIET_SECONDS = 0.025
_LONGEST_DELAY_SECONDS = 2.0
_RETRY_SECONDS = 1.0
_FULL_SECONDS = 10.0
_LITTLE = 64 << 10  # bytes that delay an intent by less than its own fsync


def _shut(_framed: bytes) -> NoReturn:
    raise ValueError("no spool is open")


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
        self._is_fork_aware = False
        self._reset()

    def _reset(self) -> None:
        self.write: Callable[[bytes], object] = _shut
        self.asleep = True
        self._spool: Spool | None = None
        self._changed = threading.Condition()
        self._wake = threading.Event()
        self._urgent = threading.Event()
        self._waiting: deque[tuple[str | None, Future[None]]] = deque()
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

    def put(self, framed: bytes) -> None:
        """Spool a record that `write` had no room for; never raises."""
        try:
            with self._changed:
                self._opened()
                if not self._write_or_swap(framed):
                    self.lost += 1
                    self.report("the spool is full and cannot be moved to the database")
        except OSError as error:
            self.lost += 1
            self.report(error)

    def submit(self, record: str | None) -> Future[None]:
        """Write a record durably; None waits for all that was recorded before."""
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()  # what is queued is written, come what may
        self._waiting.append((record, future))
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
                failed = self.report(error)
                for _, future in self._taken():
                    future.set_exception(failed)

    def _opened(self) -> Spool:
        if self._spool is None:
            now = time.monotonic()
            if now < self._next_try:
                raise OSError(self.problem or "the spool cannot be made")
            self._next_try = now + _RETRY_SECONDS
            self._spool = Spool(self.path.parent / "journal")
            self.write = self._spool.write
            self._next_try = 0.0
            self._mind_forks()
        return self._spool

    def _write_or_swap(self, framed: bytes) -> bool:
        deadline = time.monotonic() + _FULL_SECONDS
        while True:
            try:
                self.write(framed)
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

    def _mind_forks(self) -> None:
        if self._is_fork_aware:
            return
        self._is_fork_aware = True
        itself = weakref.ref(self)

        def in_child() -> None:
            writer = itself()
            if writer is not None:
                writer._start_over()

        os.register_at_fork(after_in_child=in_child)

    def _start_over(self) -> None:
        """Let go of the spool, whose file another process may own, and forget the thread."""
        self.write = _shut
        if self._spool is not None:
            self._spool.abandon()
        self._reset()

    def _work(self) -> None:
        """Move records until the journal is closed; this is the thread."""
        store = Store(self.path)
        has_recovered = False
        while self._thread is threading.current_thread():
            self._wake.wait()
            self._wake.clear()
            self._gather()
            is_last = self._is_closing
            self._drain(store, is_last=is_last)
            if not has_recovered and not self._is_failing:
                has_recovered = True
                self._attempt(store.recover)
            if is_last:
                break
            self.asleep = True
            if self._waiting or self._has_spooled():
                self.rouse()
        store.close()

    def _has_spooled(self) -> bool:
        """Say whether records wait that can be moved; while the disk fails, the next one asks."""
        return not (self._is_failing or self._spool is None or self._spool.is_empty)

    def _gather(self) -> None:
        """Wait for a pause, so that records move together and not while calls are made."""
        spool, last = self._spool, -1
        pause = _RETRY_SECONDS if self._is_failing else _QUIET_SECONDS
        deadline = time.monotonic() + _LONGEST_DELAY_SECONDS
        while not self._urgent.wait(pause):
            now = spool.position() if spool is not None else last
            if now == last or time.monotonic() >= deadline:
                return
            last = now

    def _taken(self) -> list[tuple[str | None, Future[None]]]:
        return [self._waiting.popleft() for _ in range(len(self._waiting))]

    def _drain(self, store: Store, *, is_last: bool) -> None:
        self._urgent.clear()
        waiting = self._taken()
        records = [record for record, _ in waiting if record is not None]
        error = None
        if records:
            if self._spool is not None and self._spool.position() < _LITTLE:
                self._attempt(lambda: self._move(store, is_last=False))  # keep the order of calls
            error = self._attempt(lambda: store.append(records, durable=True))
        _resolve([future for record, future in waiting if record is not None], error)
        error = self._attempt(lambda: self._move(store, is_last=is_last)) or error
        with self._changed:
            self._is_failing = error is not None
            self._changed.notify_all()
        _resolve([future for record, future in waiting if record is None], error)

    def _attempt(self, work: Callable[[], object]) -> HermesError | None:
        try:
            work()
        except TROUBLE as error:
            return self.report(error)
        except Exception as error:  # the thread must live on, and whoever waits must be told
            log.exception("journal: records could not be moved")
            return self.report(error)
        return None

    def _move(self, store: Store, *, is_last: bool) -> None:
        """Move both halves of the spool; the last time, give the file up."""
        spool = self._spool
        if spool is None:
            return
        self._move_retired(spool, store)
        with self._changed:
            if is_last:
                self.write = _shut
                spool.swap()
            elif not spool.is_empty:
                self._swap()
        self._move_retired(spool, store)
        if is_last:
            self._spool = None
            spool.remove()
            store.forget(spool.origin)

    def _move_retired(self, spool: Spool, store: Store) -> None:
        batch = spool.retired()
        if batch is None:
            return
        if batch.records:
            store.append_batch(spool.origin, batch)
        with self._changed:
            spool.release()
            self._changed.notify_all()


def _resolve(futures: Iterable[Future[None]], error: HermesError | None) -> None:
    for future in futures:
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)
