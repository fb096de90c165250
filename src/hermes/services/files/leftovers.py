"""Remember what is being written beside its place, so that a later run removes what a kill left."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hermes.base.optional import load

_ENDING = ".record"


class Known(NamedTuple):
    """What a record says."""

    anchor: str
    """The folder that something is written in, and which one that was."""
    device: int
    inode: int
    name: str
    """What is written there for the time being; nobody else has such a name."""
    moves: tuple[tuple[str, bool, int, int], ...] = ()
    """What was to be moved: name, whether it replaces something, its inode and its time."""
    moved_ns: int = 0


class Record:
    """The note that something is being written; it goes when that is done."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    def add(self, value: Any) -> None:
        """Write something down, durably."""
        if self._descriptor is not None:
            os.write(self._descriptor, json.dumps(value).encode() + b"\n")
            os.fsync(self._descriptor)


class Leftovers:
    """Keep one record for everything that is being written beside its place.

    Who is alive holds a lock on its records, so that only what dead processes left is removed.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder

    @contextlib.contextmanager
    def record(self, anchor: str, facts: os.stat_result, name: str) -> Iterator[Record]:
        """Note a name in a folder before it is made; forget it when the block ends."""
        if self.folder is None:
            yield Record(None)
            return
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.folder / f"{os.urandom(8).hex()}{_ENDING}"
        early = path.with_suffix(".new")
        descriptor = os.open(early, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            record = Record(descriptor)
            record.add([anchor, facts.st_dev, facts.st_ino, name])
            early.rename(path)
            yield record
            path.unlink()
        except Exception:
            path.unlink(missing_ok=True)
            early.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)

    def sweep(self) -> int:
        """Remove what processes that are gone have left, and return how much that was."""
        if self.folder is None or not self.folder.is_dir():
            return 0
        return sum(map(self._recovered, sorted(self.folder.glob(f"*{_ENDING}"))))

    def _recovered(self, path: Path) -> bool:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:  # somebody else was faster
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            known = _read(descriptor)
            if known is not None:
                load("hermes.services.files.staging").recover(known)
            path.unlink(missing_ok=True)
        except OSError:  # it is being written now, or cannot be removed yet
            return False
        finally:
            os.close(descriptor)
        return True


def _read(descriptor: int) -> Known | None:
    """Return what a record says; a line that was not finished says nothing."""
    size = os.fstat(descriptor).st_size
    lines = os.pread(descriptor, size, 0).split(b"\n")[:-1]
    try:
        values = [json.loads(line) for line in lines]
        known = Known(*values[0])
        if len(values) > 1:
            moves: Sequence[Any] = values[-1]["moves"]
            known = known._replace(
                moves=tuple((str(a), bool(b), int(c), int(d)) for a, b, c, d in moves),
                moved_ns=values[-1]["at"],
            )
    except (ValueError, TypeError, KeyError, IndexError):
        return None
    return known
