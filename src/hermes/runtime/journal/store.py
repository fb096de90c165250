"""Append records to the database: one hash chain, several processes, nothing ever changed.

Each row's hash is the SHA-256 of the hash before it and its own record, so no row can be altered,
dropped or slipped in without breaking the chain. `journal_head` remembers where the chain ends and
`journal_spools` which half of a spool was moved last, both in the transaction of the rows.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from hermes.base.errors import HermesError
from hermes.base.files import private_folder
from hermes.runtime.journal.records import stored
from hermes.runtime.journal.spool import Batch, dead_spools

log = logging.getLogger(__name__)

START = "0" * 64
_VERSION = 1
_BUSY_SECONDS = 30
_SALVAGE_ROWS = 1_000
_SCHEMA = """
CREATE TABLE journal (
  id INTEGER PRIMARY KEY,
  record TEXT NOT NULL,
  hash TEXT NOT NULL,
  kind TEXT AS (json_extract(record, '$[0]')),
  ticket TEXT AS (json_extract(record, '$[1]')),
  call_id TEXT AS (json_extract(record, '$[2]')),
  task_id TEXT AS (CASE json_extract(record, '$[0]') WHEN 'outcome' THEN NULL
                   ELSE json_extract(record, '$[3]') END),
  tool TEXT AS (CASE json_extract(record, '$[0]') WHEN 'outcome' THEN NULL
                ELSE json_extract(record, '$[5]') END)
);
CREATE INDEX journal_call ON journal (call_id);
CREATE INDEX journal_task ON journal (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX journal_tool ON journal (tool) WHERE tool IS NOT NULL;
CREATE INDEX journal_intent ON journal (ticket) WHERE kind = 'intent';
CREATE INDEX journal_outcome ON journal (ticket) WHERE kind = 'outcome';
CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TABLE journal_head (
  one INTEGER PRIMARY KEY CHECK (one = 1), id INTEGER NOT NULL, hash TEXT NOT NULL
);
CREATE TRIGGER journal_head_grows BEFORE UPDATE ON journal_head WHEN NEW.id < OLD.id
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TABLE journal_spools (origin TEXT PRIMARY KEY, generation INTEGER NOT NULL);
"""


def link(previous: str, record: str) -> str:
    """Return the hash of a record that follows a hash."""
    return hashlib.sha256(f"{previous}{record}".encode()).hexdigest()


def is_corrupt(error: sqlite3.Error) -> bool:
    """Tell a damaged database from one that only cannot be used now."""
    name = getattr(error, "sqlite_errorname", None) or ""
    return name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))


class Store:
    """Hold one connection that appends; use it from one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path.parent / "journal"
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._is_durable = True

    def append(
        self, records: Sequence[str], *, durable: bool, mark: tuple[str, int] | None = None
    ) -> None:
        """Add records in one transaction; ``durable`` waits until they survive a power cut.

        ``mark`` names a spool and the generation that is moved with these records; a generation
        that was moved before is left out.
        """

        def work(connection: sqlite3.Connection) -> None:
            if durable != self._is_durable:
                connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._is_durable = durable
            connection.execute("BEGIN IMMEDIATE")
            try:
                if mark is None or _advance(connection, mark):
                    _insert(connection, records)
                connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

        self._do(work)

    def append_batch(self, origin: str, batch: Batch) -> None:
        """Move the records of one half of a spool."""
        tickets = (f"{origin}.{batch.generation}.{at}" for at in range(len(batch.records)))
        records = [
            stored("done", ticket, data)
            for ticket, data in zip(tickets, batch.records, strict=True)
        ]
        self.append(records, durable=False, mark=(origin, batch.generation))

    def recover(self) -> int:
        """Move what dead processes left in their spools; return the number of records."""
        count = 0
        for spool in dead_spools(self.folder):
            try:
                for batch in spool.batches:
                    self.append_batch(spool.origin, batch)
                    count += len(batch.records)
            except BaseException:
                spool.leave()
                raise
            spool.remove()
            self.forget(spool.origin)
        return count

    def forget(self, origin: str) -> None:
        """Drop the mark of a spool that is no more."""
        drop = "DELETE FROM journal_spools WHERE origin = ?"
        self._do(lambda connection: connection.execute(drop, (origin,)))

    def close(self) -> None:
        """Close the connection; the next append opens it again."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _do(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Work on the open connection; a damaged database is replaced, once."""
        try:
            work(self._open())
        except sqlite3.Error as error:
            self.close()
            if not is_corrupt(error):
                raise
            set_aside(self.path, str(error))
            work(self._open())

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._inode == _inode(self.path):
            return self._connection
        self.close()
        private_folder(self.path.parent)
        private_folder(self.folder)
        with locked(self.folder):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            connection = _connect(self.path)
            try:
                _prepare(connection, self.path)
            except BaseException:
                connection.close()
                raise
        self._connection, self._inode, self._is_durable = connection, _inode(self.path), True
        return connection


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from creating or replacing the database meanwhile."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS migrations (part TEXT PRIMARY KEY, version INTEGER NOT NULL)"
    )
    row = connection.execute("SELECT version FROM migrations WHERE part = 'journal'").fetchone()
    if row is None:
        connection.executescript(
            f"BEGIN IMMEDIATE; {_SCHEMA}"
            f"INSERT INTO migrations VALUES ('journal', {_VERSION}); COMMIT;"
        )
    elif row[0] > _VERSION:
        raise HermesError(
            f"{path}: its journal has version {row[0]}, this hermes writes version {_VERSION}",
            hint="Upgrade hermes, or point HERMES_HOME to another folder.",
        )


def _advance(connection: sqlite3.Connection, mark: tuple[str, int]) -> bool:
    """Note that a generation is moved; False when it was moved before."""
    changed = connection.execute(
        "INSERT INTO journal_spools VALUES (?, ?) ON CONFLICT (origin) DO UPDATE"
        " SET generation = excluded.generation WHERE excluded.generation > generation",
        mark,
    )
    return changed.rowcount > 0


def _insert(connection: sqlite3.Connection, records: Sequence[str]) -> None:
    row = connection.execute("SELECT id, hash FROM journal ORDER BY id DESC LIMIT 1").fetchone()
    count, last = row or (0, START)
    lines = []
    for record in records:
        last = link(last, record)
        lines.append(last + record)
    if not lines:
        return
    # One statement for all rows: the interpreter is free for other threads while SQLite works.
    connection.execute(
        "INSERT INTO journal (id, hash, record)"
        " SELECT ? + key, substr(value, 1, 64), substr(value, 65) FROM json_each(?)",
        (count + 1, msgspec.json.encode(lines).decode()),
    )
    _set_head(connection, count + len(lines), last)


def _set_head(connection: sqlite3.Connection, row: int, last: str) -> None:
    connection.execute(
        "INSERT INTO journal_head VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE"
        " SET id = excluded.id, hash = excluded.hash",
        (row, last),
    )


def set_aside(path: Path, reason: str) -> None:
    """Move a damaged database away and start a new one with the records before the damage."""
    with locked(path.parent / "journal"):
        if not _is_damaged(path):
            return
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        aside = path.with_name(f"{path.name}.corrupt-{stamp}")
        for ending in ("-wal", "-shm", ""):
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + ending).rename(aside.with_name(aside.name + ending))
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        connection = _connect(path)
        try:
            _prepare(connection, path)
            kept = _salvage(aside, connection)
        finally:
            connection.close()
    log.error(
        "journal: %s is damaged (%s); set aside as %s, %d records kept", path, reason, aside, kept
    )


def _is_damaged(path: Path) -> bool:
    """Look again under the lock: another process may have mended it."""
    try:
        with contextlib.closing(_connect(path)) as connection:
            answer = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.Error as error:
        return is_corrupt(error)
    return bool(answer and answer[0] != "ok")


def _salvage(aside: Path, target: sqlite3.Connection) -> int:
    kept, last, rows = 0, START, []
    target.execute("BEGIN IMMEDIATE")
    try:
        with contextlib.closing(_connect(aside)) as source:
            source.execute("PRAGMA writable_schema = ON")  # or SQLite refuses a file cut short
            for row, record, digest in source.execute(
                "SELECT id, record, hash FROM journal ORDER BY id"
            ):
                if row != kept + 1 or link(last, record) != digest:
                    break
                kept, last = row, digest
                rows.append((row, record, digest))
                if len(rows) >= _SALVAGE_ROWS:
                    _copy(target, rows)
                    rows.clear()
    except (sqlite3.Error, UnicodeError, TypeError) as error:
        log.warning("journal: %s can be read up to row %d: %s", aside, kept, error)
    _copy(target, rows)
    if kept:
        _set_head(target, kept, last)
    target.execute("COMMIT")
    return kept


def _copy(target: sqlite3.Connection, rows: Sequence[tuple[int, str, str]]) -> None:
    target.executemany("INSERT INTO journal (id, record, hash) VALUES (?, ?, ?)", rows)
