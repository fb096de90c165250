"""Keep what is said before an effect, and how it ended, in a file of this process's own.

A line is a checksum, a number that only grows, and the link. `append` leaves a line where a kill
-9 cannot lose it; `sync` waits until a power cut cannot either. The writer moves lines to the
database, and their room is used again: after a crash what counts is every sound line whose
number is above the last one that was moved.
"""

from __future__ import annotations

import contextlib
import os
import threading
import zlib
from collections import deque
from pathlib import Path
from typing import NamedTuple

from hermes.base.files import sync_folder
from hermes.runtime.journal.chain import Link

ENDING = ".ledger"
_SIZE = 1 << 20
_MANY = 1_000
_sync = getattr(os, "fdatasync", os.fsync)


class Kept(NamedTuple):
    """A link that is not in the database yet."""

    number: int
    at: int
    link: Link


class Ledger:
    """Own one file; any thread appends, one moves."""

    def __init__(self, folder: Path, origin: str) -> None:
        self.mark = mark_of(origin)
        """The name under which the database remembers the last number that was moved."""
        self._path = folder / f"{origin}{ENDING}"
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._descriptor = os.open(self._path, flags, 0o600)
        try:
            os.write(self._descriptor, bytes(_SIZE))  # so that a line later changes nothing else
            os.fsync(self._descriptor)
            sync_folder(folder)
        except BaseException:
            self.remove()
            raise
        self._lock = threading.Lock()
        self._waiting: deque[Kept] = deque()
        self._number = 0
        self._next = 0
        self._is_shut = False

    @property
    def number(self) -> int:
        """Return the number of the last line."""
        return self._number

    @property
    def is_moved(self) -> bool:
        """Say whether nothing waits to be moved."""
        return not self._waiting

    def append(self, link: Link) -> None:
        """Add a line.

        Raises:
            OSError: there is no room for it before more is moved, or no disk.
        """
        with self._lock:
            line = _line(self._number + 1, link)
            at = self._room(len(line))
            if os.pwrite(self._descriptor, line, at) != len(line):
                raise OSError("the ledger took only part of a line")
            self._number += 1
            self._next = at + len(line)
            self._waiting.append(Kept(self._number, at, link))

    def _room(self, size: int) -> int:
        """Return where a line disturbs none that waits: those lie between the first and the next.

        Raises:
            OSError: there is no such place.
        """
        if self._is_shut:
            raise OSError("the ledger is closed")
        if not self._waiting:
            self._next = 0
        first = self._waiting[0].at if self._waiting else _SIZE
        if self._next >= first or not self._waiting:
            if self._next + size <= _SIZE:
                return self._next
            self._next = 0
        if self._next + size < first:
            return self._next
        raise OSError("the ledger is full")

    @property
    def is_filling(self) -> bool:
        """Say whether it is time to move what waits."""
        return len(self._waiting) > _MANY

    def sync(self) -> None:
        """Wait until all that was appended survives a power cut.

        Raises:
            OSError: the disk cannot take it.
        """
        _sync(self._descriptor)

    def waiting(self) -> list[Kept]:
        """Return what is to be moved, in order; `moved` takes it off."""
        with self._lock:
            return list(self._waiting)

    def moved(self, number: int) -> None:
        """Forget the lines up to a number: they are in the database, and durably so."""
        with self._lock:
            while self._waiting and self._waiting[0].number <= number:
                self._waiting.popleft()

    def shut(self) -> None:
        """Take no more lines."""
        with self._lock:
            self._is_shut = True

    def abandon(self) -> None:
        """Let go of the file without touching it."""
        os.close(self._descriptor)

    def remove(self) -> None:
        """Delete the file; its lines must be in the database."""
        with contextlib.suppress(OSError):
            self._path.unlink()
        self.abandon()


def mark_of(origin: str) -> str:
    """Return the name under which the last number moved of a process's ledger is remembered."""
    return f"{origin}{ENDING}"


def left_behind(folder: Path, origin: str, moved: int) -> list[Kept]:
    """Return the sound lines of a dead process that were not moved yet, in order."""
    try:
        data = (folder / f"{origin}{ENDING}").read_bytes()
    except OSError:
        return []
    found = {kept.number: kept for kept in map(_read, data.split(b"\n")) if kept is not None}
    return [found[number] for number in sorted(found) if number > moved]


def drop(folder: Path, origin: str) -> None:
    """Delete the ledger of a dead process."""
    with contextlib.suppress(OSError):
        (folder / f"{origin}{ENDING}").unlink()


def _line(number: int, link: Link) -> bytes:
    text = f"{number} {link.kind} {link.ticket} {link.records}".encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _read(line: bytes) -> Kept | None:
    """Return the link of a line, None for what is left of an older one."""
    line = line.rpartition(b"\0")[2]  # a line that could not be added may leave a gap before this
    checksum, _, text = line.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        return None
    number, kind, ticket, records = text.decode().split(" ", 3)
    return Kept(int(number), 0, Link(kind, ticket, records))
