"""Bring back conversations from a database that was set aside because it was damaged.

The journal moves a damaged file to ``state.db.corrupt-…`` and begins a new one with its own
records. What can still be read of the sessions follows when they are next opened.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

log = logging.getLogger(__name__)

_TABLES = ("sessions", "session_prompts", "session_messages")


def salvage(connection: sqlite3.Connection, path: Path) -> None:
    """Copy what the newest database that was set aside still holds, all in one transaction."""
    aside = sorted(path.parent.glob(f"{path.name}.corrupt-*"))
    aside = [each for each in aside if not each.name.endswith(("-wal", "-shm"))]
    if not aside:
        return
    kept = dict.fromkeys(_TABLES, 0)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for table in _TABLES:
            for names, row in _rows(aside[-1], table):
                marks = ", ".join("?" * len(row))
                connection.execute(
                    f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({marks})", row
                )
                kept[table] += 1
        connection.execute(
            "DELETE FROM session_messages WHERE session NOT IN (SELECT number FROM sessions)"
        )
        connection.execute(
            "UPDATE sessions SET messages ="
            " (SELECT count(*) FROM session_messages WHERE session = sessions.number)"
        )
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    if kept["sessions"]:
        log.warning(
            "sessions: %d sessions with %d messages were brought back from %s",
            kept["sessions"], kept["session_messages"], aside[-1],
        )  # fmt: skip


def _rows(path: Path, table: str) -> Iterator[tuple[list[str], tuple[Any, ...]]]:
    """Yield the rows of a table until the damage, each with the names of its columns."""
    place = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(place, uri=True)) as source:
            source.execute("PRAGMA writable_schema = ON")  # or SQLite refuses a file cut short
            rows = source.execute(f"SELECT * FROM {table} ORDER BY 1")
            names = [column[0] for column in rows.description]
            for row in rows:
                yield names, row
    except (sqlite3.Error, UnicodeError) as error:
        log.warning("sessions: %s of %s can be read so far: %s", table, path, error)
