"""The tables of conversations: what they are, and making them where they are missing.

A message's searchable form is its text and what its calls ask for. `session_words` holds it by
words, with pairs of characters where a script has no spaces; `session_trigrams` holds every three
characters of it, to find parts of words. Triggers keep both in step with the messages.
"""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from hermes.base.errors import HermesError

VERSION = 1
LONGEST_WORDS = 100_000  # characters of a message that are searched by words
_LONGEST_TRIGRAMS = 10_000  # and by parts of words, which takes more room


def _words(row: str) -> str:
    """Return the expression for what is searched by words."""
    return f"coalesce({row}words, substr({row}text, 1, {LONGEST_WORDS}) || {row}asked)"


def _parts(row: str) -> str:
    """Return the expression for what is searched by parts of words."""
    return f"substr({row}text, 1, {_LONGEST_TRIGRAMS}) || {row}asked"


def _kept(row: str) -> str:
    """Return what adds a message to both indexes."""
    return (
        "INSERT INTO session_words (rowid, tag, said)"
        f" VALUES ({row}id, {row}tag, {_words(row)});"
        f" INSERT INTO session_trigrams (rowid, said) VALUES ({row}id, {_parts(row)});"
    )


def _dropped(row: str) -> str:
    """Return what takes a message out of both indexes."""
    return (
        "INSERT INTO session_words (session_words, rowid, tag, said)"
        f" VALUES ('delete', {row}id, {row}tag, {_words(row)});"
        " INSERT INTO session_trigrams (session_trigrams, rowid, said)"
        f" VALUES ('delete', {row}id, {_parts(row)});"
    )


# Short columns stand before long ones: to read what follows a long text SQLite walks through it.
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS sessions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  parent TEXT NOT NULL,
  created REAL NOT NULL,
  updated REAL NOT NULL,
  messages INTEGER NOT NULL DEFAULT 0,
  calls INTEGER NOT NULL DEFAULT 0,
  input INTEGER NOT NULL DEFAULT 0,
  output INTEGER NOT NULL DEFAULT 0,
  cached INTEGER NOT NULL DEFAULT 0,
  reasoning INTEGER NOT NULL DEFAULT 0,
  dollars REAL,
  summary INTEGER,
  kept_from INTEGER,
  title TEXT NOT NULL,
  model TEXT NOT NULL,
  source TEXT NOT NULL,
  workspace TEXT NOT NULL,
  opening TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS session_prompts (
  session INTEGER PRIMARY KEY, system TEXT NOT NULL, tools TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS sessions_updated ON sessions (updated);
CREATE INDEX IF NOT EXISTS sessions_title ON sessions (title COLLATE NOCASE);
CREATE INDEX IF NOT EXISTS sessions_parent ON sessions (parent) WHERE parent <> '';
CREATE TABLE IF NOT EXISTS session_messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (number),
  origin INTEGER NOT NULL,
  at REAL NOT NULL,
  role TEXT NOT NULL,
  tag TEXT NOT NULL,
  about TEXT,
  text TEXT NOT NULL,
  asked TEXT NOT NULL,
  words TEXT,
  more TEXT
);
CREATE INDEX IF NOT EXISTS session_messages_of ON session_messages (session, id);
CREATE VIEW IF NOT EXISTS session_words_said AS
  SELECT id, tag, {_words("")} AS said FROM session_messages;
CREATE VIEW IF NOT EXISTS session_trigrams_said AS
  SELECT id, {_parts("")} AS said FROM session_messages;
CREATE VIRTUAL TABLE IF NOT EXISTS session_words USING fts5 (
  tag, said, content = 'session_words_said', content_rowid = 'id',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co So'"
);
CREATE VIRTUAL TABLE IF NOT EXISTS session_trigrams USING fts5 (
  said, content = 'session_trigrams_said', content_rowid = 'id',
  tokenize = 'trigram', detail = none
);
CREATE TRIGGER IF NOT EXISTS session_added AFTER INSERT ON session_messages
  BEGIN {_kept("NEW.")} END;
CREATE TRIGGER IF NOT EXISTS session_dropped AFTER DELETE ON session_messages
  BEGIN {_dropped("OLD.")} END;
CREATE TRIGGER IF NOT EXISTS session_changed
  AFTER UPDATE OF id, tag, text, asked, words ON session_messages
  BEGIN {_dropped("OLD.")} {_kept("NEW.")} END;
"""
_NAMES = frozenset(re.findall(r"NOT EXISTS (\w+)", _SCHEMA))


def prepare(connection: sqlite3.Connection, path: Path) -> bool:
    """Make the tables, or those that somebody took away; say whether they are new.

    Raises:
        HermesError: a newer hermes made them.
    """
    connection.execute("PRAGMA journal_mode = WAL")
    names = _names(connection)
    version = made_version(connection) if "migrations" in names else None
    if version is not None and version > VERSION:
        raise HermesError(
            f"{path}: its sessions have version {version}, this hermes writes version {VERSION}",
            hint="Upgrade hermes, or point HERMES_HOME to another folder.",
        )
    if version is None or not names >= _NAMES:
        connection.executescript(
            "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS"
            " migrations (part TEXT PRIMARY KEY, version INTEGER NOT NULL);"
            f"{_SCHEMA} INSERT OR IGNORE INTO migrations VALUES ('sessions', {VERSION}); COMMIT;"
        )
    return version is None


def is_there(connection: sqlite3.Connection) -> bool:
    """Say whether conversations were ever kept in this file."""
    return {"sessions", "session_messages", "session_words"} <= _names(connection)


def made_version(connection: sqlite3.Connection) -> int | None:
    """Return the version of the tables that were made here once, None when none were."""
    row = connection.execute("SELECT version FROM migrations WHERE part = 'sessions'").fetchone()
    return int(row[0]) if row else None


def _names(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
