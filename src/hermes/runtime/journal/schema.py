"""The journal's tables: what they are, and making them where they are missing."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from hermes.base.errors import HermesError

START = "0" * 64
_VERSION = 1
_CHAIN = ("journal_head", "journal_links")
# Hashes stand before the records: to read what follows a long text SQLite walks through it.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS journal_links (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  kind TEXT NOT NULL,
  ticket TEXT NOT NULL,
  records TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS journal_tickets ON journal_links (kind, ticket);
CREATE TABLE IF NOT EXISTS journal_head (
  one INTEGER PRIMARY KEY CHECK (one = 1), id INTEGER NOT NULL, hash TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS journal_spools (origin TEXT PRIMARY KEY, generation INTEGER NOT NULL);
CREATE TRIGGER IF NOT EXISTS journal_no_update BEFORE UPDATE ON journal_links
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS journal_no_delete BEFORE DELETE ON journal_links
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS journal_head_grows BEFORE UPDATE ON journal_head
  WHEN NEW.id < OLD.id BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS journal_head_stays BEFORE DELETE ON journal_head
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE VIEW IF NOT EXISTS journal AS
  SELECT links.id + line.key AS id, kind, ticket,
    json_extract(line.value, '$[0]') AS call_id, line.value AS record
  FROM journal_links AS links,
    json_each('[' || replace(links.records, char(10), ',') || ']') AS line;
"""
_NAMES = frozenset(re.findall(r"NOT EXISTS (\w+)", _SCHEMA))
_BEGIN = f"""
INSERT OR IGNORE INTO journal_head VALUES (1, 0, '{START}');
INSERT INTO migrations VALUES ('journal', {_VERSION});
"""


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables, or those that somebody took away.

    Only a new journal gets the beginning of a chain: in an old one that lost it, the break stays.
    """
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    version = made_version(connection)
    if version is None:
        connection.executescript(
            "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS"
            " migrations (part TEXT PRIMARY KEY, version INTEGER NOT NULL);"
            f"{_SCHEMA} {_BEGIN} COMMIT;"
        )
    elif version > _VERSION:
        raise HermesError(
            f"{path}: its journal has version {version}, this hermes writes version {_VERSION}",
            hint="Upgrade hermes, or point HERMES_HOME to another folder.",
        )
    elif not _names(connection) >= _NAMES:
        connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")


def made_version(connection: sqlite3.Connection) -> int | None:
    """Return the version of the journal that was made here once, None when none was."""
    if "migrations" not in _names(connection):
        return None
    row = connection.execute("SELECT version FROM migrations WHERE part = 'journal'").fetchone()
    return int(row[0]) if row else None


def missing(connection: sqlite3.Connection) -> list[str]:
    """Return the tables of the chain that are not there."""
    names = _names(connection)
    return [name for name in _CHAIN if name not in names]


def _names(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
