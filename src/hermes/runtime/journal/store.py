"""Append records to the database, each batch in one transaction, shared by several processes.

`journal_spools` remembers, in the transaction of the records, which half of a spool was moved
last: a half that was moved before its process died is not moved again.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hermes.base.files import private_folder
from hermes.runtime.journal.chain import Link, insert
from hermes.runtime.journal.database import create, is_corrupt, locked, set_aside, transaction
from hermes.runtime.journal.ledger import drop, left_behind, mark_of
from hermes.runtime.journal.recovery import dead_spools
from hermes.runtime.journal.spool import Batch

_LONGEST_LINK = 64 << 10  # bytes; damage costs a whole link


class Store:
    """Hold one connection that appends; use it from one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path.parent / "journal"
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._is_durable = True

    @property
    def is_open(self) -> bool:
        """Say whether a connection is open."""
        return self._connection is not None

    def append(
        self, links: Sequence[Link], *, durable: bool, mark: tuple[str, int] | None = None
    ) -> None:
        """Add links in one transaction; ``durable`` waits until they survive a power cut.

        ``mark`` names a spool and the generation that is moved with these links; a generation
        that was moved before is left out.
        """

        def work(connection: sqlite3.Connection) -> None:
            if durable != self._is_durable:
                connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._is_durable = durable
            with transaction(connection):
                if mark is None or _advance(connection, mark):
                    insert(connection, links)

        self._do(work)

    def append_batch(self, origin: str, batch: Batch) -> None:
        """Move the records of one half of a spool."""
        mark = (origin, batch.generation)
        self.append(list(_links(origin, batch)), durable=False, mark=mark)

    def recover(self) -> None:
        """Move what dead processes left in their spools."""
        for spool in dead_spools(self.folder):
            try:
                self._recover_ledger(spool.origin)
                for batch in spool.batches:
                    self.append_batch(spool.origin, batch)
            except BaseException:
                spool.leave()
                raise
            drop(self.folder, spool.origin)
            spool.remove()
            self.forget(mark_of(spool.origin))
            self.forget(spool.origin)

    def _recover_ledger(self, origin: str) -> None:
        """Move what a dead process said of its effects and had not moved itself."""
        mark = mark_of(origin)
        kept = left_behind(self.folder, origin, self._moved(mark))
        if kept:
            links = [one.link for one in kept]
            self.append(links, durable=True, mark=(mark, kept[-1].number))

    def _moved(self, mark: str) -> int:
        """Return the last number that was moved under a mark."""
        found: list[tuple[int]] = []
        asked = "SELECT generation FROM journal_spools WHERE origin = ?"
        self._do(lambda connection: found.extend(connection.execute(asked, (mark,))))
        return found[0][0] if found else 0

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
        """Work on the open connection, and once more after mending what can be mended."""
        try:
            work(self._open())
        except sqlite3.Error as error:
            self.close()
            if is_corrupt(error):
                set_aside(self.path, str(error))
            elif not str(error).startswith("no such table"):
                raise
            work(self._open())

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._inode == _inode(self.path):
            return self._connection
        self.close()
        private_folder(self.path.parent)
        private_folder(self.folder)
        with locked(self.folder):
            self._connection = create(self.path)
        self._inode, self._is_durable = _inode(self.path), True
        return self._connection


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def _advance(connection: sqlite3.Connection, mark: tuple[str, int]) -> bool:
    """Note that a generation is moved; False when it was moved before."""
    changed = connection.execute(
        "INSERT INTO journal_spools VALUES (?, ?) ON CONFLICT (origin) DO UPDATE"
        " SET generation = excluded.generation WHERE excluded.generation > generation",
        mark,
    )
    return changed.rowcount > 0


def _links(origin: str, batch: Batch) -> Iterator[Link]:
    """Yield the lines of one half of a spool in links of moderate length."""
    data, at = batch.data, 0
    while at < len(data):
        end = data.rfind(b"\n", at, at + _LONGEST_LINK)
        end = end if end >= 0 else data.index(b"\n", at)
        yield Link("done", f"{origin}.{batch.generation}", data[at:end].decode())
        at = end + 1
