"""Put bytes into the place of a file of this machine: the old ones are seen, or the new."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hermes.base.files import resemble, temporary_name
from hermes.base.rename_new import rename_new
from hermes.services.files.descriptors import sync
from hermes.services.files.disk import at_once


class Spot(NamedTuple):
    """Where a file is or will be: the descriptor of its folder, its name, and what is there."""

    folder: int
    name: str
    path: str
    there: os.stat_result | None


def _put(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
    os.fsync(descriptor)


class LocalSink:
    """A file of this machine that is being written."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, data: bytes) -> int:
        """Add bytes to its end."""
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]
        return len(data)


class Way(NamedTuple):
    """How a file takes its place."""

    is_new: bool
    """Whether there must be none."""
    mode: int | None = None
    settled: Callable[[], None] = at_once


def replace(spot: Spot, data: bytes, way: Way) -> None:
    """Put a new file in the place of what is there: who reads meanwhile sees the old or the new."""
    with placing(spot, temporary_name(spot.name), way) as descriptor:
        if spot.there is None and way.mode is not None:
            os.fchmod(descriptor, way.mode)
        LocalSink(descriptor).write(data)


@contextlib.contextmanager
def placing(spot: Spot, temporary: str, way: Way) -> Iterator[int]:
    """Give a new file to write, and put it in its place when the block ends well."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o666, dir_fd=spot.folder)
    try:
        try:
            if spot.there is not None:
                resemble(descriptor, spot.folder, spot.name, spot.there)
            yield descriptor
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        way.settled()
        if way.is_new:  # a name that somebody has taken meanwhile stays theirs
            rename_new(spot.folder, temporary, spot.name)
        else:
            os.replace(temporary, spot.name, src_dir_fd=spot.folder, dst_dir_fd=spot.folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=spot.folder)
        raise
    sync(spot.folder)


def overwrite(spot: Spot, data: bytes) -> None:
    """Write into the file itself: it has other names too, which must go on naming it."""
    flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(spot.name, flags, dir_fd=spot.folder)
    try:
        _put(descriptor, data)
        os.ftruncate(descriptor, len(data))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append(spot: Spot, data: bytes) -> None:
    """Add to the end of a file; one that is not there is made."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(spot.name, flags, 0o666, dir_fd=spot.folder)
    try:
        _put(descriptor, data)
    finally:
        os.close(descriptor)
