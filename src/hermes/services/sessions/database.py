"""The database file: one connection that writes, one that reads, shared by threads.

The journal lives in the same file and makes it under the lock ``journal/lock``; taking that lock
too keeps the file from being replaced, or made twice, while it is opened here.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from hermes.base.errors import HermesError
from hermes.base.files import private_folder
from hermes.base.optional import load
from hermes.services.sessions.schema import is_there, prepare

log = logging.getLogger(__name__)

_BUSY_SECONDS = 30
_STEPS = 2_000  # of SQLite's machine between two looks at the clock
_CANNOT_OPEN = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR")


class Database:
    """Hold the connections; opened by the first use, and anew when the file was replaced."""

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        self.path = path
        self._durable = durable
        self._writer = _Connection()
        self._reader = _Connection()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection inside a transaction: all of it is kept, or nothing."""
        with self._told(), self._writer.lock:
            connection = self._writer.get(self.path) or self._writer.put(self._create(), self.path)
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """Give a connection that sees one moment; None when nothing was ever kept."""
        with self._told(), self._reader.lock:
            connection = self._reader.get(self.path)
            if connection is None:
                connection = self._open()
                if connection is None:
                    yield None
                    return
                self._reader.put(connection, self.path)
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("COMMIT")

    def tidy(self) -> None:
        """Let what was deleted leave the disk, unless somebody is reading it now."""
        with self._writer.lock:
            connection = self._writer.get(self.path)
            if connection is not None:
                connection.execute("PRAGMA busy_timeout = 200")
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")

    def close(self) -> None:
        """Close the connections; the next use opens them again."""
        for each in (self._writer, self._reader):
            with each.lock:
                each.close()

    def _create(self) -> sqlite3.Connection:
        private_folder(self.path.parent)
        with _locked(private_folder(self.path.parent / "journal")):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            connection = _connect(f"file:{quote(str(self.path.absolute()))}?mode=rw")
            try:
                if prepare(connection, self.path):
                    load("hermes.services.sessions.salvage").salvage(connection, self.path)
                connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
            except BaseException:
                connection.close()
                raise
        return connection

    def _open(self) -> sqlite3.Connection | None:
        """Open for reading only; where SQLite cannot make its files beside it, as one at rest."""
        if not self.path.exists():
            return None
        place = f"file:{quote(str(self.path.absolute()))}?mode=ro"
        connection = _connect(place)
        try:
            found = is_there(connection)
        except sqlite3.OperationalError as error:
            connection.close()
            if not (error.sqlite_errorname or "").startswith(_CANNOT_OPEN):
                raise
            log.warning("sessions: %s is read as it was last closed: %s", self.path, error)
            connection = _connect(f"{place}&immutable=1")
            found = is_there(connection)
        if not found and any(self.path.parent.glob(f"{self.path.name}.corrupt-*")):
            self._create().close()  # what was set aside is brought back first
            found = is_there(connection)
        if not found:
            connection.close()
        return connection if found else None

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Say of SQLite's errors what they are about and what helps."""
        try:
            yield
        except sqlite3.Error as error:
            raise HermesError(f"the sessions in {self.path}: {error}", hint=_hint(error)) from error


class _Connection:
    """One connection, the file that it is of, and who may use it now."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._open: sqlite3.Connection | None = None
        self._of: tuple[int, int] = (0, 0)

    def get(self, path: Path) -> sqlite3.Connection | None:
        """Return the connection, unless the file was replaced or this is a forked process."""
        if self._open is not None and self._of != (os.getpid(), _inode(path)):
            if self._of[0] == os.getpid():
                self.close()
            self._open = None  # the parent's is left alone: closing it here would drop its locks
        return self._open

    def put(self, connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
        self._open, self._of = connection, (os.getpid(), _inode(path))
        return connection

    def close(self) -> None:
        if self._open is not None:
            with contextlib.suppress(sqlite3.Error):
                self._open.close()
            self._open = None


@contextlib.contextmanager
def within(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Break off whatever is asked of a connection when a time is up.

    What was found until then is kept; `sqlite3.OperationalError` says that there may be more.
    """
    end = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


def _connect(place: str) -> sqlite3.Connection:
    return sqlite3.connect(
        place, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        load("fcntl").flock(descriptor, load("fcntl").LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def _hint(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", None) or ""
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return "The file is damaged: run `hermes doctor`; the next recorded call sets it aside."
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "Another process has been writing for long; try again."
    if name.startswith("SQLITE_FULL"):
        return "The disk is full: make room and try again."
    return "Run `hermes doctor`."
