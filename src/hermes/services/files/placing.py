"""Put bytes into the place of a file of this machine: the old ones are seen, or the new."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import NamedTuple

from hermes.base.files import resemble, temporary_name
from hermes.base.rename_new import rename_new
from hermes.services.files.descriptors import PATH_ONLY, by_descriptor, stat_at, sync, sync_soon
from hermes.services.files.disk import AT_ONCE, Overtaken, Timing

_UNNAMED = getattr(os, "O_TMPFILE", None)
_NO_UNNAMED = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT})
_NO_LINK = frozenset({errno.EOPNOTSUPP, errno.EPERM, errno.EXDEV, errno.ENOENT, errno.ENOSYS})


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
    timing: Timing = AT_ONCE

    def check(self, spot: Spot) -> None:
        """Look once more, right before the change: another program may have been quicker.

        Raises:
            Overtaken: it was.
        """
        wanted = self.timing.version
        if wanted is not None:
            there = stat_at(spot.folder, spot.name)
            if there is None or (there.st_mtime_ns, there.st_size, there.st_ino) != wanted:
                raise Overtaken(spot.path)


def replace(spot: Spot, data: bytes, way: Way) -> None:
    """Put a new file in the place of what is there: who reads meanwhile sees the old or the new."""
    descriptor = _unnamed(spot.folder)
    if descriptor is None:
        way.timing.settled()  # a name that a kill leaves behind must be known of before
    elif _replaced(spot, descriptor, data, way):
        return
    with placing(spot, temporary_name(spot.name), way) as named:
        if spot.there is None and way.mode is not None:
            os.fchmod(named, way.mode)
        LocalSink(named).write(data)


def _replaced(spot: Spot, descriptor: int, data: bytes, way: Way) -> bool:
    """Do it with a file that has no name yet; False where such a file cannot be given one."""
    try:
        if spot.there is not None:
            resemble(descriptor, spot.folder, spot.name, spot.there)
        elif way.mode is not None:
            os.fchmod(descriptor, way.mode)
        _put(descriptor, data)
        way.timing.meanwhile()
        way.timing.settled()
        way.check(spot)
        old = _held(spot)
        try:
            is_done = _named(descriptor, spot, is_new=way.is_new)
        finally:
            sync_soon(spot.folder, *old)
    finally:
        os.close(descriptor)
    return is_done


def _held(spot: Spot) -> list[int]:
    """Hold what is about to be replaced, so that nobody has to wait while its room is freed."""
    if spot.there is None:
        return []
    try:
        return [os.open(spot.name, PATH_ONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=spot.folder)]
    except OSError:
        return []


def _unnamed(folder: int) -> int | None:
    """Open a file without a name, of which a kill leaves nothing; None where there is no such."""
    if _UNNAMED is None:
        return None
    try:
        return os.open(".", os.O_WRONLY | _UNNAMED | os.O_CLOEXEC, 0o666, dir_fd=folder)
    except OSError as error:
        if error.errno in _NO_UNNAMED:
            return None
        raise


def _named(descriptor: int, spot: Spot, *, is_new: bool) -> bool:
    """Give a file its place; a name that somebody has taken meanwhile is theirs.

    False where a file without a name cannot be given one.
    """
    name = spot.name if is_new else temporary_name(spot.name)
    source = by_descriptor(descriptor) or ""
    try:
        os.link(source, name, dst_dir_fd=spot.folder, follow_symlinks=True)
    except OSError as error:
        if error.errno in _NO_LINK:
            return False
        raise
    if is_new:
        return True
    try:
        os.replace(name, spot.name, src_dir_fd=spot.folder, dst_dir_fd=spot.folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=spot.folder)
        raise
    return True


@contextlib.contextmanager
def placing(spot: Spot, temporary: str, way: Way) -> Iterator[int]:
    """Give a new file to write, and put it in its place when the block ends well."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(temporary, flags, 0o666, dir_fd=spot.folder)
    except OSError as error:
        error.filename = spot.path  # nobody knows the other name
        raise
    try:
        try:
            if spot.there is not None:
                resemble(descriptor, spot.folder, spot.name, spot.there)
            yield descriptor
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        way.timing.settled()
        way.check(spot)
        if way.is_new:  # a name that somebody has taken meanwhile stays theirs
            rename_new(spot.folder, temporary, spot.name)
        else:
            os.replace(temporary, spot.name, src_dir_fd=spot.folder, dst_dir_fd=spot.folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=spot.folder)
        raise
    sync(spot.folder)


def overwrite(spot: Spot, data: bytes, way: Way) -> None:
    """Write into the file itself: it has other names too, which must go on naming it."""
    way.timing.settled()
    way.check(spot)
    flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(spot.name, flags, dir_fd=spot.folder)
    try:
        _put(descriptor, data)
        os.ftruncate(descriptor, len(data))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append(spot: Spot, data: bytes, way: Way) -> None:
    """Add to the end of a file; one that is not there is made."""
    way.timing.settled()
    way.check(spot)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(spot.name, flags, 0o666, dir_fd=spot.folder)
    try:
        _put(descriptor, data)
    finally:
        os.close(descriptor)
