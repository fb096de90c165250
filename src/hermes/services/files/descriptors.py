"""Files by their descriptors: what one stands for, what is known of it, what is beneath it."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import sys

from hermes.services.files.disk import Found, Kind
from hermes.services.files.meanwhile import later

PATH_ONLY = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)
"""Opens a file only to know which one it is."""
_DESCRIPTORS = "/dev/fd" if sys.platform == "darwin" else "/proc/self/fd"
_GET_PATH = 50


def by_descriptor(descriptor: int) -> str | None:
    """Return a path that leads to a descriptor's file wherever it is now, where there is one."""
    return f"{_DESCRIPTORS}/{descriptor}" if sys.platform == "linux" else None


def real_path(descriptor: int) -> str:
    """Return where a descriptor's file is now."""
    if sys.platform == "darwin":
        name = fcntl.fcntl(descriptor, _GET_PATH, bytes(1024))
        return os.fsdecode(name.rstrip(b"\0"))
    name = os.readlink(f"{_DESCRIPTORS}/{descriptor}")  # noqa: PTH115 - a text is wanted
    return name.removesuffix(" (deleted)")


def reopened(handle: int, real: str) -> int:
    """Open for reading what a descriptor stands for."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        return os.open(f"{_DESCRIPTORS}/{handle}", flags)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, real) from None


def in_memory(descriptor: int, most: int) -> bytes | None:
    """Return the beginning of a file without waiting for the disk; None if that cannot be."""
    flag = getattr(os, "RWF_NOWAIT", None)
    if flag is None:
        return None
    buffer = bytearray(most)
    try:
        return bytes(buffer[: os.preadv(descriptor, [buffer], 0, flag)])
    except OSError:
        return None


def found_from(path: str, facts: os.stat_result, target: str = "") -> Found:
    """Return what a stat tells, in our words."""
    mode = facts.st_mode
    kind: Kind = "other"
    if stat.S_ISREG(mode):
        kind = "file"
    elif stat.S_ISDIR(mode):
        kind = "folder"
    elif stat.S_ISLNK(mode):
        kind = "link"
    return Found(
        path,
        kind,
        facts.st_size,
        stat.S_IMODE(mode),
        facts.st_mtime_ns,
        facts.st_ino,
        facts.st_nlink,
        target,
    )


def no_such_file(path: str) -> FileNotFoundError:
    """Return the error for what is not there."""
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def stat_at(folder: int, name: str) -> os.stat_result | None:
    """Return what is known of a name in a folder, links not followed; None if it is not there."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def sync(folder: int) -> None:
    """Wait until the names in a folder survive a power cut, where there is such a thing."""
    try:
        descriptor = os.open(
            f"{_DESCRIPTORS}/{folder}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        )
    except OSError:  # a folder that may be written and not read
        return
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_soon(folder: int, *others: int) -> None:
    """Have the names in a folder survive a power cut in a moment; nobody waits for that here.

    Other descriptors are closed then: who closes the last one of a file that has no name any more
    waits until its room on the disk is free.
    """
    held = os.dup(folder)

    def finish() -> None:
        sync(held)
        for descriptor in (held, *others):
            os.close(descriptor)

    later(finish)
