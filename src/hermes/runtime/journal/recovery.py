"""Take over the spools of processes that are gone."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from hermes.runtime.journal.spool import HALF, HEADER, MAGIC, Batch

log = logging.getLogger(__name__)

_ABANDONED_SECONDS = 600
_decode = msgspec.json.Decoder(list).decode


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


def read_half(data: bytes) -> Batch | None:
    """Return the whole lines of a half, up to the first that is torn or damaged."""
    if len(data) < HEADER.size:
        return None
    magic, generation = HEADER.unpack_from(data)
    if magic != MAGIC:
        return None
    written, _, rest = data[HEADER.size :].partition(b"\0")
    sound, torn = _sound(written)
    # A kill tears the last record; a second one after it means damage.
    return Batch(generation, sound, is_damaged=b"\n" in torn or b"\n[" in rest)


def _sound(written: bytes) -> tuple[bytes, bytes]:
    """Return the lines up to the first that is not a record, and the rest."""
    whole = written.rfind(b"\n") + 1
    at = 0
    while at < whole:
        end = written.index(b"\n", at) + 1
        try:
            _decode(written[at:end])
        except (msgspec.DecodeError, UnicodeError):
            break
        at = end
    return written[:at], written[at:]
