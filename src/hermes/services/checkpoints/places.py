"""Look at paths and put contents back there; no link on the way is followed."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from hermes.base.files import is_abandoned, resemble, temporary_name
from hermes.services.checkpoints.blobs import PART, Blobs
from hermes.services.checkpoints.model import ABSENT, State

_PATH_ONLY = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)
_FOLDER = _PATH_ONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
ELSEWHERE = State("other", "elsewhere")
"""What is behind a path on whose way a link took the place of a folder."""


class Wanted(NamedTuple):
    """What a path shall hold."""

    path: str
    state: State
    keeps_mode: bool = False
    """Whether a file that is there keeps the mode that it has now."""


@contextlib.contextmanager
def folder_of(path: str, *, makes: bool = False) -> Iterator[tuple[int, str]]:
    """Give the descriptor of the folder that a path is in, and the name there.

    Raises:
        OSError: a folder is missing (and shall not be made), or is no folder, or is a link.
    """
    *names, last = path.strip("/").split("/")
    descriptor = os.open("/", _FOLDER)
    try:
        for name in names:
            descriptor = _step(descriptor, name, makes=makes)
        yield descriptor, last
    finally:
        os.close(descriptor)


def _step(folder: int, name: str, *, makes: bool) -> int:
    """Go one folder down; the descriptor of the folder above is given back."""
    if makes:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
    try:
        below = os.open(name, _FOLDER, dir_fd=folder)
    except NotADirectoryError:
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, "a link has taken the place of a folder", name) from None
        raise
    os.close(folder)
    return below


def look(path: str, read: Callable[[int], tuple[str, int]] | None = None) -> State:
    """Return what a path holds now; ``read`` takes an open file and gives its digest and size."""
    try:
        with folder_of(path) as (folder, name):
            return look_at(folder, name, read or digest)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except OSError as error:
        if error.errno == errno.ELOOP:
            return ELSEWHERE
        raise


def look_at(folder: int, name: str, read: Callable[[int], tuple[str, int]]) -> State:
    """Return what a name in a folder holds now."""
    facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
    mode = stat.S_IMODE(facts.st_mode)
    if stat.S_ISLNK(facts.st_mode):
        return State("link", os.readlink(name, dir_fd=folder), 0, 0)
    if stat.S_ISDIR(facts.st_mode):
        return State("folder", "", mode, 0)
    if not stat.S_ISREG(facts.st_mode):
        return State("other", str(stat.S_IFMT(facts.st_mode)), mode)
    descriptor = os.open(name, _READ, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return State("other")
        found, size = read(descriptor)
    finally:
        os.close(descriptor)
    return State("file", found, mode, size)


def digest(descriptor: int) -> tuple[str, int]:
    """Return the SHA-256 and the size of an open file."""
    seen, size = hashlib.sha256(), 0
    while part := os.read(descriptor, PART):
        seen.update(part)
        size += len(part)
    return seen.hexdigest(), size


def put_all(wanted: Iterable[Wanted], blobs: Blobs) -> None:
    """Have paths hold what they shall: what goes first, the deepest first; folders before files.

    Raises:
        OSError: a path could not be changed.
        Lost: a content is not kept any more.
    """
    listed = list(wanted)
    for one in sorted(listed, key=lambda one: one.path, reverse=True):
        _clear(one)
    for one in sorted(listed, key=lambda one: one.path):
        if one.state.kind == "folder":
            _make(one)
    for one in listed:
        if one.state.kind == "file":
            _put_file(one, blobs)
        elif one.state.kind == "link":
            _put_link(one)
    for one in sorted(listed, key=lambda one: one.path, reverse=True):
        if one.state.kind == "folder":
            _set_mode(one)


def _clear(one: Wanted) -> None:
    """Take away what has to go: what shall not be there, and what is of another kind."""
    with (
        contextlib.suppress(FileNotFoundError, NotADirectoryError),
        folder_of(one.path) as (folder, name),
    ):
        there = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        is_folder = stat.S_ISDIR(there)
        if one.state.kind == "absent" or is_folder != (one.state.kind == "folder"):
            _remove(folder, name, is_folder=is_folder)
            sync(folder)


def _remove(folder: int, name: str, *, is_folder: bool) -> None:
    if not is_folder:
        os.unlink(name, dir_fd=folder)
        return
    try:
        os.rmdir(name, dir_fd=folder)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):  # somebody uses it: it stays
            raise


def _make(one: Wanted) -> None:
    with folder_of(one.path, makes=True) as (folder, name), contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=folder)
        sync(folder)


def _set_mode(one: Wanted) -> None:
    with folder_of(one.path) as (folder, name):
        descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
        try:
            if stat.S_IMODE(os.fstat(descriptor).st_mode) != one.state.mode:
                os.fchmod(descriptor, one.state.mode)
        finally:
            os.close(descriptor)


def _put_link(one: Wanted) -> None:
    with folder_of(one.path, makes=True) as (folder, name):
        temporary = temporary_name(name)
        os.symlink(one.state.digest, temporary, dir_fd=folder)
        _rename(folder, temporary, name)


def _put_file(one: Wanted, blobs: Blobs) -> None:
    with folder_of(one.path, makes=True) as (folder, name):
        try:
            there = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            there = None
        if there is not None and stat.S_ISREG(there.st_mode):
            if there.st_nlink > 1:
                return _overwrite(folder, name, one, blobs)
        else:
            there = None
        temporary = temporary_name(name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(temporary, flags, 0o600, dir_fd=folder)
        try:
            if there is not None:
                resemble(descriptor, folder, name, there)
            _fill(descriptor, blobs.parts(one.state.digest))
            if there is None or not one.keeps_mode:
                os.fchmod(descriptor, one.state.mode)
            os.fsync(descriptor)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise
        finally:
            os.close(descriptor)
        return _rename(folder, temporary, name)


def _rename(folder: int, temporary: str, name: str) -> None:
    try:
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    sync(folder)


def _overwrite(folder: int, name: str, one: Wanted, blobs: Blobs) -> None:
    """Write into the file itself: it has other names too, which must go on naming it."""
    for _ in blobs.parts(one.state.digest):  # a damaged content must not get into it
        pass
    flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(name, flags, dir_fd=folder)
    try:
        os.ftruncate(descriptor, _fill(descriptor, blobs.parts(one.state.digest)))
        if not one.keeps_mode:
            os.fchmod(descriptor, one.state.mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _fill(descriptor: int, parts: Iterable[bytes]) -> int:
    size = 0
    for part in parts:
        left = memoryview(part)
        size += len(part)
        while left:
            left = left[os.write(descriptor, left) :]
    return size


def sync(folder: int) -> None:
    """Wait until the names in a folder survive a power cut, where there is such a thing."""
    with contextlib.suppress(OSError):
        descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sweep(path: str) -> None:
    """Remove what processes that are gone left beside a file, half written."""
    with contextlib.suppress(OSError), folder_of(path) as (folder, _):
        descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        try:
            for name in os.listdir(descriptor):  # noqa: PTH208 - a descriptor
                if is_abandoned(name):
                    with contextlib.suppress(OSError):
                        os.unlink(name, dir_fd=descriptor)
        finally:
            os.close(descriptor)
