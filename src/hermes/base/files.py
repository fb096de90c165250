"""Write files so that a crash leaves the old content or the new, never a mix."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes.base.optional import load

if TYPE_CHECKING:
    from pathlib import Path

TEMPORARY = ".hermes-tmp"
"""How the names of files end that are about to take another's place."""
_LONGEST_START = 100


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner can enter, with its parents, and return it."""
    if not path.is_dir():
        private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    return path


def write_atomic(path: Path, content: str | bytes, *, mode: int = 0o600) -> None:
    """Replace a file's content durably: a temporary file beside it, fsync, rename, fsync."""
    data = content.encode() if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from changing files of a folder in the same way at the same time."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        load("fcntl").flock(descriptor, load("fcntl").LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file_system(folder: Path) -> None:
    """Wait until all that was written to a folder's file system survives a power cut.

    For many files this takes a moment where waiting for one after the other takes minutes.
    """
    call = getattr(load("ctypes").CDLL(None, use_errno=True), "syncfs", None)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if call is None:
            os.sync()
        elif call(descriptor) != 0:
            code = load("ctypes").get_errno()
            raise OSError(code, os.strerror(code), str(folder))
    finally:
        os.close(descriptor)


def temporary_name(name: str) -> str:
    """Return a name beside a file for what will take its place; it says whose it is."""
    start = os.fsdecode(os.fsencode(name)[:_LONGEST_START])
    return f".{start}.{os.getpid():x}-{os.urandom(6).hex()}{TEMPORARY}"


def is_abandoned(name: str) -> bool:
    """Say whether a name is of a temporary file whose process is gone."""
    if not (name.startswith(".") and name.endswith(TEMPORARY)):
        return False
    process = name.removesuffix(TEMPORARY).rpartition(".")[2].partition("-")[0]
    try:
        os.kill(int(process, 16), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except (PermissionError, ValueError):
        return False
    return False


def resemble(descriptor: int, folder: int, name: str, there: os.stat_result) -> None:
    """Give a new file the owner, the mode and the attributes of the one that it replaces."""
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (there.st_uid, there.st_gid):
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, there.st_uid, there.st_gid)
    if made.st_mode != there.st_mode:
        os.fchmod(descriptor, stat.S_IMODE(there.st_mode))
    old = f"/proc/self/fd/{folder}/{name}"  # a file that may not be read has them, too
    with contextlib.suppress(OSError):
        for attribute in os.listxattr(old, follow_symlinks=False):
            with contextlib.suppress(OSError):
                value = os.getxattr(old, attribute, follow_symlinks=False)
                os.setxattr(descriptor, attribute, value)
