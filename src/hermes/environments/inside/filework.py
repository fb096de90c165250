"""Work on files where they are, by system calls alone; ``OSError`` tells what went wrong."""

# Paths are strings here: they come from elsewhere and are handed to the kernel.
# ruff: noqa: PTH105, PTH103, PTH104, PTH106, PTH107, PTH108, PTH114, PTH115, PTH116, PTH118, PTH120, PTH208
from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import uuid
from typing import BinaryIO, Callable, List, NamedTuple, Optional

_PART = 1 << 20
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SECRET_OF_PROCESSES = re.compile(
    r"/proc/(?:kcore|kmsg|[^/]+(?:/task/[^/]+)?/(?:environ|mem|auxv|pagemap))$"
)


class Facts(NamedTuple):
    """What is known of a file without reading it."""

    path: str
    kind: str
    size: int
    mode: int
    modified: float
    inode: int = 0
    target: str = ""


def facts(path: str, *, follow: bool = True) -> Facts:
    """Return what is known of a path."""
    found = os.stat(path) if follow else os.lstat(path)
    target = os.readlink(path) if stat.S_ISLNK(found.st_mode) else ""
    return Facts(
        path,
        kind_of(found.st_mode),
        found.st_size,
        stat.S_IMODE(found.st_mode),
        found.st_mtime,
        found.st_ino,
        target,
    )


def kind_of(mode: int) -> str:
    """Return the word for what a mode tells."""
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


def read(path: str, offset: int = 0, size: Optional[int] = None) -> bytes:
    """Return bytes of a regular file; anything that could make us wait is refused."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb", buffering=0) as file:
        _check_regular(os.fstat(fd).st_mode, path)
        check_no_secret_of_processes(_real(fd), path)
        return _pread(file.fileno(), offset, size)


def _pread(fd: int, offset: int, size: Optional[int]) -> bytes:
    parts: List[bytes] = []
    left = size
    while left is None or left > 0:
        part = os.pread(fd, _PART if left is None else min(left, _PART), offset)
        if not part:
            break
        parts.append(part)
        offset += len(part)
        left = None if left is None else left - len(part)
    return b"".join(parts)


def write(path: str, data: bytes, *, append: bool = False, mode: int = 0) -> Facts:
    """Replace a file in one step, or add to its end; missing folders are made."""
    target = os.path.realpath(path)
    made = _make_above(target)
    try:
        if append:
            _append(target, data, mode)
        else:
            _replace(target, data, mode)
    except BaseException:
        for folder in made:
            _try(os.rmdir, folder)
        raise
    return facts(target)


def _make_above(target: str) -> List[str]:
    """Make the folders above a path, and return those that were not there, the deepest first."""
    folder, missing = os.path.dirname(target), []
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    return missing


def _try(work: Callable[..., object], *given: object) -> None:
    with contextlib.suppress(OSError):
        work(*given)


def _append(target: str, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC
    fd = os.open(target, flags, mode or 0o666)
    with os.fdopen(fd, "wb") as file:
        _check_regular(os.fstat(fd).st_mode, target)
        _put(file, data)


def _replace(target: str, data: bytes, mode: int) -> None:
    old = _there(target)
    if old is not None and _stays(target, old):
        _overwrite(target, data)
        return
    beside = os.path.join(os.path.dirname(target), f".hermes-{uuid.uuid4().hex}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(beside, flags, mode or 0o666)
    try:
        with os.fdopen(fd, "wb") as file:
            if old is not None:
                _resemble(fd, target, old)
            if mode:
                os.fchmod(fd, mode)
            _put(file, data)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def _stays(target: str, old: os.stat_result) -> bool:
    """Say whether a file is written into, and not replaced: it could not stay what it is."""
    if old.st_nlink > 1:
        return True
    if os.geteuid() == 0:
        return False
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
    if old.st_uid != os.geteuid() or old.st_gid not in (os.getegid(), *os.getgroups()):
        return True
    return not os.access(os.path.dirname(target), os.W_OK | os.X_OK)


def _overwrite(target: str, data: bytes) -> None:
    """Write into the file itself: it has other names too, which must go on naming it."""
    fd = os.open(target, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "wb") as file:
        _make_room(fd, len(data))
        file.write(data)
        file.truncate()
        _put(file, b"")


def _make_room(fd: int, size: int) -> None:
    """Have the disk take so many bytes before any is changed, where it can promise that."""
    old = os.fstat(fd).st_size
    try:
        os.posix_fallocate(fd, 0, max(1, size))
    except OSError as error:
        if error.errno in _NO_ROOM:
            os.ftruncate(fd, old)
            raise
    except AttributeError:  # not every system has it
        pass


def _resemble(fd: int, target: str, old: os.stat_result) -> None:
    """Give a file the owner, the mode and the attributes of another, as far as we may."""
    new = os.fstat(fd)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        _try(os.fchown, fd, -1, old.st_gid)
        _try(os.fchown, fd, old.st_uid, -1)
    for name in _attributes(target):
        _try(_copy_attribute, target, fd, name)
    os.fchmod(fd, stat.S_IMODE(old.st_mode))


def _attributes(target: str) -> List[str]:
    try:
        return os.listxattr(target)
    except (OSError, AttributeError):  # not every system has them
        return []


def _copy_attribute(target: str, fd: int, name: str) -> None:
    os.setxattr(fd, name, os.getxattr(target, name))


def _there(target: str) -> Optional[os.stat_result]:
    """Return what is known of the file that is replaced, if there is one."""
    try:
        found = os.stat(target)
    except FileNotFoundError:
        return None
    _check_regular(found.st_mode, target)
    return found


def _real(fd: int) -> str:
    """Return where an open file is, if the system tells."""
    try:
        return os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        return ""


def check_no_secret_of_processes(real: str, path: str) -> None:
    """Refuse what looks like a file and is the environment or memory of a process."""
    if real.startswith("/proc/") and _SECRET_OF_PROCESSES.match(real):
        raise OSError(errno.EINVAL, "is the environment or memory of a process, not a file", path)


def _check_regular(mode: int, path: str) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "Not a regular file", path)


def _put(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())


def entries(path: str) -> List[Facts]:
    """Return what is in a folder, sorted by name."""
    found = []
    for name in sorted(os.listdir(path)):
        try:
            found.append(facts(os.path.join(path, name), follow=False))
        except FileNotFoundError:
            continue  # it went while we looked
    return found


def make_folder(path: str) -> None:
    """Make a folder and those above it."""
    os.makedirs(path, exist_ok=True)


def rename(source: str, target: str) -> None:
    """Move a file or folder, replacing a file in its way."""
    os.replace(source, target)


def remove(path: str, *, recursive: bool = False) -> None:
    """Remove a file, a link or a folder."""
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        os.unlink(path)
    elif recursive:
        shutil.rmtree(path)
    else:
        os.rmdir(path)
