"""Reach files below a folder by descriptor, so that no link can lead out between check and use."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from typing import Self, TypeVar

from hermes.base.openat2 import has_openat2, open_below

_T = TypeVar("_T")

_TRIES = 8
_RACES = frozenset({errno.EXDEV, errno.EAGAIN, errno.ELOOP})
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_MOST_LINKS = 40


class Outside(PermissionError):
    """Report a path that leads out of its root."""


class Root:
    """A folder whose files are reached by descriptor; close it after use, or use it in ``with``.

    Paths are relative to the root, which they cannot leave: not by ``..``, not by a link, not by
    the links of /proc, even while somebody swaps folders for links. Only regular files are read
    and written, and nothing ever waits for a pipe.
    """

    def __init__(self, descriptor: int, *, is_walked: bool | None = None) -> None:
        self._descriptor = descriptor
        self._is_walked = not has_openat2() if is_walked is None else is_walked

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, is_walked: bool | None = None) -> Self:
        """Open a folder as a root; ``is_walked`` forces or forbids the way without openat2."""
        return cls(os.open(path, _FOLDER), is_walked=is_walked)

    def close(self) -> None:
        """Give the descriptor back."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read_fd(self, path: str) -> int:
        """Open a regular file for reading and return its descriptor, which the caller closes."""
        descriptor = self._open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            _check_regular(descriptor, path)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def write_atomic(self, path: str, content: bytes, mode: int = 0o644) -> None:
        """Replace a file durably; who reads meanwhile sees the old content or the new.

        A file that is there keeps its mode; a link is followed as long as it stays below the root.
        """
        for _ in range(_MOST_LINKS):
            with self._folder_of(path) as (folder, name):
                target = _link_target(folder, name)
                if target is None:
                    return _replace(folder, name, content, mode, _mode_at(folder, name, path))
            path = (
                target if target.startswith("/") else f"{path.rpartition('/')[0] or '.'}/{target}"
            )
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)

    def stat(self, path: str, *, is_followed: bool = True) -> os.stat_result:
        """Return what a path is; a link at its end is followed unless told otherwise."""
        if not is_followed:
            with self._folder_of(path) as (folder, name):
                return os.stat(name, dir_fd=folder, follow_symlinks=False)
        descriptor = self._open(path, getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK))
        try:
            return os.fstat(descriptor)
        finally:
            os.close(descriptor)

    def listdir(self, path: str = ".") -> list[str]:
        """Return the names in a folder, sorted."""
        descriptor = self._open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with os.scandir(descriptor) as entries:
                return sorted(entry.name for entry in entries)
        finally:
            os.close(descriptor)

    def mkdir(self, path: str, mode: int = 0o755, *, with_parents: bool = False) -> None:
        """Make a folder; with its parents, one that is there already is fine."""
        if with_parents:
            return self._mkdirs(path, mode)
        with self._folder_of(path) as (folder, name):
            return os.mkdir(name, mode, dir_fd=folder)

    def unlink(self, path: str) -> None:
        """Remove a file or a link; what a link points to stays."""
        with self._folder_of(path) as (folder, name):
            os.unlink(name, dir_fd=folder)

    def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        with self._folder_of(path) as (folder, name):
            os.rmdir(name, dir_fd=folder)

    def rename(self, old: str, new: str) -> None:
        """Move a file or folder within the root."""
        with self._folder_of(old) as (here, name), self._folder_of(new) as (there, new_name):
            os.rename(name, new_name, src_dir_fd=here, dst_dir_fd=there)
            os.fsync(there)

    def _mkdirs(self, path: str, mode: int) -> None:
        made = ""
        for name in _names(path):
            made = f"{made}/{name}" if made else name
            with contextlib.suppress(FileExistsError):
                self.mkdir(made, mode)
        os.close(self._open(path, os.O_RDONLY | os.O_DIRECTORY))

    @contextlib.contextmanager
    def _folder_of(self, path: str) -> Iterator[tuple[int, str]]:
        _check_relative(path)
        folder, _, name = path.rstrip("/").rpartition("/")
        if name in {"", ".", ".."}:
            raise Outside(errno.EPERM, "names no file below its root", path)
        descriptor = self._open(folder or ".", os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield descriptor, name
        finally:
            os.close(descriptor)

    def _open(self, path: str, flags: int) -> int:
        _check_relative(path)
        reach = _walk if self._is_walked else open_below
        return _retried(lambda: reach(self._descriptor, path, flags | os.O_CLOEXEC), path)


def _retried(attempt: Callable[[], _T], path: str) -> _T:
    """Try a few times: a folder that is being swapped may be itself again a moment later."""
    for left in reversed(range(_TRIES)):
        try:
            return attempt()
        except OSError as error:
            if error.errno not in _RACES:
                raise
            if not left:
                raise Outside(errno.EPERM, "leads out of its root", path) from error
    raise AssertionError("unreachable")


def _check_relative(path: str) -> None:
    if "\0" in path:
        raise Outside(errno.EPERM, "holds a NUL byte", path.replace("\0", "\\0"))
    if path.startswith("/"):
        raise Outside(errno.EPERM, "is not relative to its root", path)


def _check_regular(descriptor: int, path: str) -> None:
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "is not a regular file", path)


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in {"", "."}]


def _walk(root: int, path: str, flags: int) -> int:
    """Open a path name by name, following no link; links are read and walked from where they are.

    ``..`` goes back along the descriptors that were opened, so it cannot leave the root.
    """
    trail = [os.dup(root)]
    names = _names(path)[::-1]
    links = 0
    try:
        while names:
            name = names.pop()
            if name == "..":
                if len(trail) == 1:
                    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
                os.close(trail.pop())
                continue
            target = _link_at(trail[-1], name)
            if target is not None:
                links += 1
                if links > _MOST_LINKS or target.startswith("/"):
                    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
                names += _names(target)[::-1]
                continue
            last = flags if not names else _FOLDER
            trail.append(_step(trail[-1], name, last))
        return _reopened(trail, flags)
    finally:
        for descriptor in trail:
            os.close(descriptor)


def _reopened(trail: list[int], flags: int) -> int:
    if len(trail) == 1:
        return os.open(".", flags | os.O_CLOEXEC, dir_fd=trail[0])
    return trail.pop()


def _link_at(folder: int, name: str) -> str | None:
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.EINVAL:
            return None
        raise


def _link_target(folder: int, name: str) -> str | None:
    try:
        return _link_at(folder, name)
    except FileNotFoundError:
        return None


def _step(folder: int, name: str, flags: int) -> int:
    try:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except NotADirectoryError:
        if _link_target(folder, name) is None:
            raise
        raise OSError(errno.EAGAIN, "became a link meanwhile", name) from None


def _mode_at(folder: int, name: str, path: str) -> int | None:
    """Return the mode of the file that is there, if there is one."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(found) and not stat.S_ISLNK(found):
        raise OSError(errno.EINVAL, "is not a regular file", path)
    return found & 0o777


def _replace(folder: int, name: str, content: bytes, mode: int, kept: int | None) -> None:
    temporary = f".{name[:100]}.{os.urandom(6).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, mode, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            if kept is not None:
                os.fchmod(descriptor, kept)
            stream.write(content)
            stream.flush()
            os.fsync(descriptor)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    os.fsync(folder)
