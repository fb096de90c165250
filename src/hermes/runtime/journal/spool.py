"""Keep records in shared memory-mapped pages, where a kill -9 of the process cannot lose them.

A spool is one file of two halves. Records are written to the active half while the other is being
moved to the database. A record is one line, and JSON holds neither line ends nor zero bytes: a
line is whole when its end is there and no zero is before it. `write` is one C call that copies
and advances, so threads need no lock; a half is shut by moving its position to the end, after
which a late write raises ValueError.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import secrets
import struct
from pathlib import Path
from typing import NamedTuple

from hermes.base.files import private_folder

HALF = 4 << 20
MAGIC = b"HERMESJ2"
HEADER = struct.Struct("<8sQ")
_STEP = 64 << 10


class Batch(NamedTuple):
    """Hold the lines of one half; `generation` grows with every half that is filled."""

    generation: int
    data: bytes
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
        for number in (0, 1):
            self._touch(number, _STEP)
        self._activate(0)

    def _activate(self, number: int) -> None:
        half = self._halves[number]
        self._generation += 1
        half[: HEADER.size] = HEADER.pack(MAGIC, self._generation)
        half.seek(HEADER.size)
        self._active = number
        self.write = half.write

    @property
    def is_empty(self) -> bool:
        """Say whether no record waits in either half."""
        return self._retired is None and not self._halves[self._active][HEADER.size]

    def position(self) -> int:
        """Return a number that changes when a record is written."""
        return self._halves[self._active].tell()

    def swap(self) -> bool:
        """Make the other half the active one; False when it is still being moved."""
        if self._retired is not None:
            return False
        old = self._halves[self._active]
        self._used = old.tell()  # or a little more: threads write until the position moves
        self._retired = self._active
        self._activate(1 - self._active)
        old.seek(0, os.SEEK_END)
        return True

    def retired(self) -> Batch | None:
        """Return what waits in the half that is no longer written to; `release` empties it."""
        if self._retired is None:
            return None
        half = self._halves[self._retired]
        while more := half[self._used : self._used + _STEP].partition(b"\0")[0]:
            self._used += len(more)
        return Batch(self._generation - 1, half[HEADER.size : self._used])

    def release(self) -> None:
        """Empty the retired half, once its records are in the database."""
        if self._retired is not None:
            # Not through the mapping: other threads run during a write.
            os.pwrite(self._descriptor, bytes(self._used), self._retired * HALF)
            self._touch(self._retired, max(_STEP, 2 * self._used))
            self._retired = None

    def _touch(self, number: int, size: int) -> None:
        """Have the pages of an idle half ready: the first write to each may wait for the disk.

        Reading the file into its own mapping does that, and other threads run meanwhile.
        """
        if hasattr(os, "preadv"):
            with memoryview(self._halves[number])[:size] as pages, contextlib.suppress(OSError):
                os.preadv(self._descriptor, [pages], number * HALF)

    def abandon(self) -> None:
        """Let go of the file without touching it, as a forked child does with its parent's."""
        for half in self._halves:
            with contextlib.suppress(BufferError):  # a thread of the parent was at it
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
