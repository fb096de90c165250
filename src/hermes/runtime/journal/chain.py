"""The hash chain: links that follow from each other, and a head that knows where they end.

A link holds one record of a call with effects, or many lines with one record each of calls that
only read. Its number is that of its first record, and its hash is the SHA-256 of the hash before
it and all it holds, so no record can be altered, dropped or slipped in without breaking the chain.
"""

from __future__ import annotations

import hashlib
import itertools
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hermes.runtime.journal.schema import START, missing

_MOST_AT_ONCE = 128
_TAIL = "FROM journal_links ORDER BY id DESC LIMIT 1"


class Link(NamedTuple):
    """Hold what one link says."""

    kind: str
    ticket: str
    records: str

    @property
    def rows(self) -> int:
        """Return the number of records."""
        return self.records.count("\n") + 1


@dataclass(frozen=True, slots=True)
class Verification:
    """Say whether the chain holds, and where it breaks first."""

    ok: bool
    rows: int
    first_bad: int | None = None
    reason: str | None = None


def seal(previous: str, link: Link) -> str:
    """Return the hash of a link that follows a hash."""
    text = f"{previous}{link.kind} {link.ticket} {link.records}"
    return hashlib.sha256(text.encode()).hexdigest()


def insert(connection: sqlite3.Connection, links: Sequence[Link]) -> None:
    """Add links at the end of the chain."""
    if not links:
        return
    number, last = _end(connection)
    rows = []
    for link in links:
        last = seal(last, link)
        rows.append((number + 1, last, *link))
        number += link.rows
    for at in range(0, len(rows), _MOST_AT_ONCE):
        some = rows[at : at + _MOST_AT_ONCE]
        # One statement for all: the interpreter is free for other threads while SQLite works.
        places = ",".join(["(?,?,?,?,?)"] * len(some))
        values = list(itertools.chain.from_iterable(some))
        connection.execute(f"INSERT INTO journal_links VALUES {places}", values)
    set_head(connection, number, last)


def set_head(connection: sqlite3.Connection, number: int, last: str) -> None:
    """Remember where the chain ends now."""
    connection.execute(
        "INSERT INTO journal_head VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE"
        " SET id = excluded.id, hash = excluded.hash",
        (number, last),
    )


def last_number(connection: sqlite3.Connection) -> int:
    """Return the number of the newest record, 0 when there is none."""
    lines = "length(records) - length(replace(records, char(10), ''))"
    row = connection.execute(f"SELECT id + {lines} {_TAIL}").fetchone()
    return int(row[0]) if row else 0


def walk(connection: sqlite3.Connection) -> Verification:
    """Follow the whole chain and report the first row that breaks it."""
    connection.execute("BEGIN")
    expected, last = 1, START

    def broken(reason: str) -> Verification:
        return Verification(ok=False, rows=expected - 1, first_bad=expected, reason=reason)

    if gone := missing(connection):
        return broken(f"{' and '.join(gone)} was taken away")
    try:
        rows = connection.execute(
            "SELECT id, hash, kind, ticket, records FROM journal_links ORDER BY id"
        )
        for number, digest, *said in rows:
            link = Link(*map(str, said))
            if number != expected:
                return broken(f"row {expected} is missing")
            if seal(last, link) != digest:
                return broken(f"{_rows(number, link)} not follow from the row before")
            expected, last = number + link.rows, digest
        head = _head(connection)
    except (sqlite3.Error, UnicodeError) as error:
        return broken(f"row {expected} cannot be read: {error}")
    if head is None:
        return broken("the note of where the journal ends was taken away")
    if head != (expected - 1, last):
        return broken(f"the journal once ended at row {head[0]}; it now ends at row {expected - 1}")
    return Verification(ok=True, rows=expected - 1)


def _end(connection: sqlite3.Connection) -> tuple[int, str]:
    """Return the number and the hash to go on from.

    Where head and links disagree somebody was at work. What is added then does not follow from
    what is there, so the break stays for all to see.
    """
    number, last = _head(connection) or (1, START)
    tail = connection.execute(f"SELECT id, hash {_TAIL}").fetchone()
    if tail is not None and (tail[0] > number or tail[1] != last):
        number = max(number, last_number(connection))
    return number, last


def _head(connection: sqlite3.Connection) -> tuple[int, str] | None:
    row = connection.execute("SELECT id, hash FROM journal_head").fetchone()
    return (row[0], row[1]) if row else None


def _rows(number: int, link: Link) -> str:
    return f"row {number} does" if link.rows == 1 else f"rows {number}-{number + link.rows - 1} do"
