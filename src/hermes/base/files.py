"""Write files so that a crash leaves the old content or the new, never a mix."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes.base.optional import load

if TYPE_CHECKING:
    from pathlib import Path


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
    _sync_folder(path.parent)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from changing files of a folder in the same way at the same time."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        load("fcntl").flock(descriptor, load("fcntl").LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
