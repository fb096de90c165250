"""The database file: making it, opening it, and replacing it when it is damaged."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from hermes.runtime.journal.chain import Link, seal, set_head
from hermes.runtime.journal.schema import START, prepare

log = logging.getLogger(__name__)

_BUSY_SECONDS = 30


def is_corrupt(error: sqlite3.Error) -> bool:
    """Tell a damaged database from one that only cannot be used now."""
    name = getattr(error, "sqlite_errorname", None) or ""
    return name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from creating or replacing the database meanwhile."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def connect(path: Path) -> sqlite3.Connection:
    """Open the database as it is."""
    return sqlite3.connect(
        path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def create(path: Path) -> sqlite3.Connection:
    """Open the database with the journal in it; hold the lock while you call this."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = connect(path)
    try:
        prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do all of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


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
        with contextlib.closing(create(path)) as connection, transaction(connection):
            kept = _salvage(aside, connection)
    log.error(
        "journal: %s is damaged (%s); set aside as %s, %d records kept", path, reason, aside, kept
    )


def _is_damaged(path: Path) -> bool:
    """Look again under the lock: another process may have mended it."""
    try:
        with contextlib.closing(connect(path)) as connection:
            answer = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.Error as error:
        return is_corrupt(error)
    return bool(answer and answer[0] != "ok")


def _salvage(aside: Path, target: sqlite3.Connection) -> int:
    """Copy the links before the damage; return the number of their records."""
    kept, last = 0, START
    try:
        with contextlib.closing(connect(aside)) as source:
            source.execute("PRAGMA writable_schema = ON")  # or SQLite refuses a file cut short
            for number, digest, *said in source.execute(
                "SELECT id, hash, kind, ticket, records FROM journal_links ORDER BY id"
            ):
                link = Link(*said)
                if number != kept + 1 or seal(last, link) != digest:
                    break
                target.execute(
                    "INSERT INTO journal_links VALUES (?,?,?,?,?)", (number, digest, *link)
                )
                kept, last = kept + link.rows, digest
    except (sqlite3.Error, UnicodeError, TypeError, AttributeError) as error:
        log.warning("journal: %s can be read up to row %d: %s", aside, kept, error)
    set_head(target, kept, last)
    return kept
