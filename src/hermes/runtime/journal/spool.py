"""Keep records in shared memory-mapped pages, where a kill -9 of the process cannot lose them.

A spool is one file of two halves. Records are written to the active half while the other is being
moved to the database. `write` is one C call that copies and advances, so threads need no lock; a
half is shut by moving its position to the end, after which a late write raises ValueError.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import mmap
import os
import secrets
import struct
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hermes.base.files import private_folder

HALF = 4 << 20
LARGEST_RECORD = 1 << 20
_MAGIC = b"HERMESJ1"
_HEADER = struct.Struct("<8sQ")
_FRAME = struct.Struct("<II")
_ABANDONED_SECONDS = 600

log = logging.getLogger(__name__)
pack = _FRAME.pack
checksum = zlib.adler32  # a third of the cost of CRC-32, and every call pays it


def frame(data: bytes) -> bytes:
    """Return a record with its length and checksum before it."""
    return pack(len(data), checksum(data)) + data


class Batch(NamedTuple):
    """Hold the records of one half; `generation` grows with every half that is filled."""

    generation: int
    records: list[bytes]
    is_damaged: bool = False


class Spool:
    """Own one spool file; whoever uses it sees to it that only one thread swaps and releases."""

    def __init__(self, folder: Path) -> None:
        private_folder(folder.parent)
        private_folder(folder)
        self.origin = f"{os.getpid()}-{secrets.token_hex(6)}"
        self.path = folder / f"{self.origin}.spool"
        # The name appears only once the lock is held: an unlocked spool is a dead process's.
        hidden = folder / f"{self.origin}.new"
        self._descriptor = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _allocate(self._descriptor, 2 * HALF)
            self._halves = [mmap.mmap(self._descriptor, HALF, offset=at) for at in (0, HALF)]
            hidden.rename(self.path)
        except BaseException:
            os.close(self._descriptor)
            with contextlib.suppress(OSError):
                hidden.unlink()
            raise
        self._generation = 0
        self._active = 1
        self._retired: int | None = None
        self._used = 0
        self._activate(0)

    def _activate(self, number: int) -> None:
        half = self._halves[number]
        self._generation += 1
        half[: _HEADER.size] = _HEADER.pack(_MAGIC, self._generation)
        half.seek(_HEADER.size)
        self._active = number
        self.write = half.write

    @property
    def is_empty(self) -> bool:
        """Say whether no record waits in either half."""
        active = self._halves[self._active]
        first = active[_HEADER.size : _HEADER.size + _FRAME.size]
        return self._retired is None and first == bytes(_FRAME.size)

    def position(self) -> int:
        """Return a number that changes when a record is written."""
        return self._halves[self._active].tell()

    def swap(self) -> bool:
        """Make the other half the active one; False when it is still being moved."""
        if self._retired is not None:
            return False
        old = self._active
        self._activate(1 - old)
        self._halves[old].seek(0, os.SEEK_END)
        self._retired = old
        return True

    def retired(self) -> Batch | None:
        """Return what waits in the half that is no longer written to; `release` empties it."""
        if self._retired is None:
            return None
        records, self._used = _records(self._halves[self._retired], is_ours=True)
        return Batch(self._generation - 1, records)

    def release(self) -> None:
        """Empty the retired half, once its records are in the database."""
        if self._retired is not None:
            self._halves[self._retired][: self._used] = bytes(self._used)
            self._retired = None

    def abandon(self) -> None:
        """Let go of the file without touching it, as a forked child does with its parent's."""
        for half in self._halves:
            half.close()
        os.close(self._descriptor)

    def remove(self) -> None:
        """Delete the file; its records must be in the database."""
        with contextlib.suppress(OSError):
            self.path.unlink()
        self.abandon()


def _allocate(descriptor: int, size: int) -> None:
    """Claim the disk space now: a page without space behind it would kill the process later."""
    allocate = getattr(os, "posix_fallocate", None)
    if allocate is not None:
        allocate(descriptor, 0, size)
    else:
        os.write(descriptor, bytes(size))
        os.fsync(descriptor)


def read_half(data: bytes) -> Batch | None:
    """Return the whole records of a half, up to the first that is torn or damaged."""
    if len(data) < _HEADER.size:
        return None
    magic, generation = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        return None
    records, end = _records(data)
    return Batch(generation, records, is_damaged=_has_more(data, end))


def _records(data: bytes | mmap.mmap, *, is_ours: bool = False) -> tuple[list[bytes], int]:
    """Return the records and where they end; those this process wrote itself are sound."""
    records, at = [], _HEADER.size
    while at + _FRAME.size <= len(data):
        size, expected = _FRAME.unpack_from(data, at)
        start = at + _FRAME.size
        record = data[start : start + size]
        if not size or len(record) != size or not (is_ours or checksum(record) == expected):
            break
        records.append(record)
        at = start + size
    return records, at


def _has_more(data: bytes, at: int) -> bool:
    """Tell damage from one record that a kill tore: after a torn record there is nothing."""
    if at + _FRAME.size > len(data):
        return False
    size, _ = _FRAME.unpack_from(data, at)
    return size > LARGEST_RECORD or bool(data[at + _FRAME.size + size :].strip(b"\0"))


class DeadSpool(NamedTuple):
    """Hold what a process left behind when it died; locked until it is closed."""

    path: Path
    descriptor: int
    batches: list[Batch]

    @property
    def origin(self) -> str:
        """Return the name under which the dead process wrote."""
        return self.path.stem

    def remove(self) -> None:
        """Delete the file, or set it aside when part of it could not be read."""
        with contextlib.suppress(OSError):
            if any(batch.is_damaged for batch in self.batches):
                aside = self.path.with_suffix(".damaged")
                self.path.rename(aside)
                log.warning("journal: part of %s cannot be read; set aside as %s", self.path, aside)
            else:
                self.path.unlink()
        self.leave()

    def leave(self) -> None:
        """Let go of the file as it is."""
        os.close(self.descriptor)


def is_alive(folder: Path, origin: str) -> bool:
    """Say whether the process that writes under this name still runs."""
    try:
        descriptor = os.open(folder / f"{origin}.spool", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def dead_spools(folder: Path) -> Iterator[DeadSpool]:
    """Yield the spools of processes that are gone, one at a time; the taker lets go of each."""
    for path in sorted(folder.glob("*.new")):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                path.unlink()
    for path in sorted(folder.glob("*.spool")):
        spool = _take(path)
        if spool is not None:
            yield spool


def _take(path: Path) -> DeadSpool | None:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_same = path.stat().st_ino == os.fstat(descriptor).st_ino
        data = os.pread(descriptor, 2 * HALF, 0)
    except OSError:
        is_same = False
    if not is_same:  # it lives, or another process was faster
        os.close(descriptor)
        return None
    halves = [read_half(data[:HALF]), read_half(data[HALF:])]
    batches = sorted(batch for batch in halves if batch is not None)
    return DeadSpool(path, descriptor, batches)
