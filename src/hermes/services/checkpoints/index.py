"""The list of checkpoints: a small database beside the contents."""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from hermes.base.errors import HermesError
from hermes.base.files import private_folder
from hermes.services.checkpoints.model import Checkpoint, checkpoint_from

log = logging.getLogger(__name__)

_BUSY_SECONDS = 30
_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS checkpoints (id TEXT PRIMARY KEY, made REAL NOT NULL, record TEXT);
CREATE INDEX IF NOT EXISTS checkpoints_made ON checkpoints (made);
"""


class Index:
    """Read and change the list; each use opens the database anew, as none is on the hot path."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def save(self, checkpoints: Iterable[Checkpoint], *, is_final: bool = True) -> None:
        """Add checkpoints; what is known of one already is replaced if this is final."""
        verb = "INSERT OR REPLACE" if is_final else "INSERT OR IGNORE"
        rows = [(one.id, one.made, json.dumps(one)) for one in checkpoints]
        if rows:
            self._do(
                lambda database: database.executemany(
                    f"{verb} INTO checkpoints VALUES (?, ?, ?)", rows
                )
            )

    def all(self) -> list[Checkpoint]:
        """Return every checkpoint, newest first; what cannot be read is left out, and told."""
        if not self.path.exists():
            return []
        found: list[Checkpoint] = []
        self._do(lambda database: found.extend(_read(database)))
        return found

    def drop(self, ids: Iterable[str]) -> None:
        """Forget checkpoints."""
        rows = [(one,) for one in ids]
        if rows:
            self._do(
                lambda database: database.executemany("DELETE FROM checkpoints WHERE id = ?", rows)
            )

    def _do(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Work in one transaction; a damaged database is set aside first, its good rows kept.

        Raises:
            HermesError: the disk cannot take it.
        """
        try:
            try:
                self._work(work)
            except sqlite3.DatabaseError as error:
                if not _is_corrupt(error):
                    raise
                self._set_aside(str(error))
                self._work(work)
        except sqlite3.Error as error:
            raise HermesError(f"{self.path}: {error}", hint="Is the disk full?") from error

    def _work(self, work: Callable[[sqlite3.Connection], object]) -> None:
        with contextlib.closing(self._open()) as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                work(database)
                database.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    database.execute("ROLLBACK")
                raise

    def _open(self) -> sqlite3.Connection:
        private_folder(self.path.parent)
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        database = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            version = database.execute("PRAGMA user_version").fetchone()[0]
            if version > _VERSION:
                raise HermesError(
                    f"{self.path} has version {version}, this hermes writes version {_VERSION}",
                    hint="Upgrade hermes, or point HERMES_HOME to another folder.",
                )
            if version < _VERSION:
                database.executescript(
                    f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {_VERSION}; COMMIT;"
                )
        except BaseException:
            database.close()
            raise
        return database

    def _set_aside(self, reason: str) -> None:
        with _locked(self.path.with_name("index.lock")):
            if not self._is_damaged():
                return
            stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
            aside = self.path.with_name(f"{self.path.name}.corrupt-{stamp}")
            for ending in ("-wal", "-shm", ""):
                with contextlib.suppress(FileNotFoundError):
                    Path(f"{self.path}{ending}").rename(f"{aside}{ending}")
            kept = list(_salvaged(aside))
            with contextlib.closing(self._open()) as database:
                database.executemany("INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?)", kept)
        log.error(
            "checkpoints: %s is damaged (%s); set aside as %s, %d checkpoints kept",
            *(self.path, reason, aside, len(kept)),
        )

    def _is_damaged(self) -> bool:
        """Look again under the lock: another process may have mended it."""
        try:
            with contextlib.closing(sqlite3.connect(self.path)) as database:
                return bool(database.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok")
        except sqlite3.DatabaseError as error:
            return _is_corrupt(error)


def _is_corrupt(error: sqlite3.Error) -> bool:
    name = getattr(error, "sqlite_errorname", None) or ""
    return name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))


def _read(database: sqlite3.Connection) -> Iterator[Checkpoint]:
    rows = database.execute("SELECT id, record FROM checkpoints ORDER BY made DESC, rowid DESC")
    for name, record in rows:
        try:
            yield checkpoint_from(json.loads(record))
        except (ValueError, TypeError, RecursionError) as error:
            log.error("checkpoints: the record of %s cannot be read: %s", name, error)


def _salvaged(aside: Path) -> Iterator[tuple[str, float, str]]:
    """Yield the rows of a damaged database up to where it cannot be read."""
    try:
        with contextlib.closing(sqlite3.connect(aside)) as database:
            database.execute("PRAGMA writable_schema = ON")  # or SQLite refuses a file cut short
            for name, made, record in database.execute(
                "SELECT id, made, record FROM checkpoints NOT INDEXED"
            ):
                with contextlib.suppress(ValueError, TypeError, RecursionError):
                    checkpoint_from(json.loads(record))
                    yield str(name), float(made), record
    except (sqlite3.Error, UnicodeError) as error:
        log.warning("checkpoints: %s can be read in part: %s", aside, error)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
