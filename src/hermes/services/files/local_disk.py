"""The files of this machine, by system calls on descriptors: what was judged is what is used."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple

from hermes.base.files import resemble, temporary_name
from hermes.base.optional import load
from hermes.services.files.descriptors import (
    PATH_ONLY,
    by_descriptor,
    found_from,
    no_such_file,
    real_path,
    reopened,
    stat_at,
    sync,
)
from hermes.services.files.disk import (
    Check,
    Found,
    Manner,
    Opened,
    Report,
    Sink,
    Stage,
    Written,
)
from hermes.services.files.leftovers import Leftovers

_MOST_LINKS = 40
_PART = 1 << 20
_LARGEST = 512 << 20


class LocalOpened:
    """A regular file of this machine, open for reading."""

    def __init__(self, descriptor: int, found: Found) -> None:
        self.descriptor, self.found = descriptor, found

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes from a place on."""
        part = os.pread(self.descriptor, size, offset)
        if len(part) == size or not part:
            return part
        parts = [part]
        while part and (size := size - len(part)) > 0:
            part = os.pread(self.descriptor, min(size, _PART), offset + sum(map(len, parts)))
            parts.append(part)
        return b"".join(parts)


class Spot(NamedTuple):
    """Where a file is or will be: the descriptor of its folder, its name, and what is there."""

    folder: int
    name: str
    path: str
    there: os.stat_result | None


class Held(NamedTuple):
    """A folder that is held: where it is, and where this process and its children find it."""

    path: str
    place: str


class LocalDisk:
    """Work on the files of this machine for one call."""

    is_local = True

    def __init__(self, cwd: str, home: str, check: Check) -> None:
        self._cwd, self._home, self._check = cwd, home, check

    def absolute(self, path: str) -> str:
        """Return a path as it is meant, links and all."""
        if "\0" in path:
            raise OSError(errno.EINVAL, "a path cannot have a NUL in it", path.replace("\0", "␀"))
        if path == "~" or path.startswith("~/"):
            path = self._home + path[1:]
        return path if path.startswith("/") else f"{self._cwd}/{path}"

    def find(self, path: str, *, follow: bool = True) -> Found:
        """Return what is known of a path."""
        if not follow:
            with self._spot(path, follows=False) as spot:
                if spot.there is None:
                    raise no_such_file(path)
                self._check("read", spot.path, is_sole=_is_sole(spot.there))
                return found_from(spot.path, spot.there, _target(spot))
        descriptor = os.open(self.absolute(path), PATH_ONLY | os.O_CLOEXEC)
        try:
            real, facts = real_path(descriptor), os.fstat(descriptor)
            self._check("read", real, is_sole=_is_sole(facts))
            return found_from(real, facts)
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[Opened]:
        """Open a regular file; a device or pipe is looked at, and never opened."""
        handle = os.open(self.absolute(path), PATH_ONLY | os.O_CLOEXEC)
        try:
            facts = os.fstat(handle)
            real = real_path(handle)
            check_regular(facts.st_mode, path)
            self._check("read", real, is_sole=_is_sole(facts))
            descriptor = reopened(handle, real)
        finally:
            os.close(handle)
        try:
            yield LocalOpened(descriptor, found_from(real, facts))
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def held(self, path: str, *, is_judged: bool = True) -> Iterator[Held]:
        """Hold a folder, so that it stays the one that was judged."""
        descriptor = os.open(self.absolute(path), PATH_ONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            real = real_path(descriptor)
            if is_judged:
                self._check("read", real)
            yield Held(real, by_descriptor(descriptor) or real)
        finally:
            os.close(descriptor)

    def read(self, path: str) -> tuple[Found, bytes]:
        """Return a whole file."""
        with self.open(path) as file:
            if file.found.size > _LARGEST:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
            parts, at = [], 0
            while part := file.read(at, _PART):
                parts.append(part)
                at += len(part)
            return file.found, b"".join(parts)

    def write(
        self, path: str, data: bytes, manner: Manner = "overwrite", *, mode: int | None = None
    ) -> Written:
        """Replace a file in one step, add to its end, or make one that is not there."""
        folders = self._make_folders(path)
        with self._spot(path) as spot:
            self._check("write", spot.path)
            if spot.there is not None:
                if manner == "create":
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
                check_regular(spot.there.st_mode, path)
            if manner == "append":
                _append(spot, data)
            elif spot.there is not None and spot.there.st_nlink > 1:
                _overwrite(spot, data)
            else:
                _replace(spot, data, is_new=manner == "create", mode=mode)
            facts = os.stat(spot.name, dir_fd=spot.folder, follow_symlinks=False)
            return Written(found_from(spot.path, facts), spot.there is None, folders)

    def _make_folders(self, path: str) -> int:
        """Make the folders above a path, once that is judged; return how many."""
        folder, missing = os.path.dirname(self.absolute(path)) or "/", []  # noqa: PTH120 - a text
        while not os.path.lexists(folder):
            folder, _, name = folder.rstrip("/").rpartition("/")
            folder = folder or "/"
            missing.append(name)
        missing = [name for name in missing if name not in ("", ".")]
        if not missing:
            return 0
        descriptor = os.open(folder, PATH_ONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._check("write", "/".join((real_path(descriptor).rstrip("/"), *missing[::-1])))
            for name in reversed(missing):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, dir_fd=descriptor)
                below = os.open(
                    name,
                    PATH_ONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC,
                    dir_fd=descriptor,
                )
                os.close(descriptor)
                descriptor = below
        finally:
            os.close(descriptor)
        return len(missing)

    def remove(self, path: str) -> Found:
        """Remove a file or a link, and return what it was."""
        with self._spot(path, follows=False) as spot:
            if spot.there is None:
                raise no_such_file(path)
            self._check("delete", spot.path)
            if stat.S_ISDIR(spot.there.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
            os.unlink(spot.name, dir_fd=spot.folder)
            sync(spot.folder)
            return found_from(spot.path, spot.there, "")

    def entries(self, path: str) -> Iterator[Found]:
        """Yield what is in a folder, in no order; links are not followed."""
        descriptor = os.open(
            self.absolute(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NONBLOCK
        )
        try:
            real = real_path(descriptor)
            self._check("read", real)
            with os.scandir(descriptor) as listed:
                for entry in listed:
                    with contextlib.suppress(OSError):  # it went while we looked
                        facts = entry.stat(follow_symlinks=False)
                        target = (
                            os.readlink(entry.name, dir_fd=descriptor) if entry.is_symlink() else ""
                        )
                        yield found_from(f"{real.rstrip('/')}/{entry.name}", facts, target)
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def create(self, path: str, leftovers: Leftovers, *, overwrite: bool) -> Iterator[Sink]:
        """Write a file in pieces; it takes its place when the block ends well."""
        self._make_folders(path)
        with self._spot(path) as spot:
            self._check("write", spot.path)
            if spot.there is not None:
                check_regular(spot.there.st_mode, path)
                if not overwrite:
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
            name = temporary_name(spot.name)
            with (
                leftovers.record(real_path(spot.folder), os.fstat(spot.folder), name),
                _placing(spot, name, is_new=not overwrite) as descriptor,
            ):
                yield LocalSink(descriptor)

    def stage(self, path: str, leftovers: Leftovers) -> AbstractContextManager[Stage]:
        """Write a tree that is moved below a path when it is whole."""
        folder, missing = self.absolute(path).rstrip("/") or "/", ""
        while not os.path.lexists(folder):
            folder, _, name = folder.rstrip("/").rpartition("/")
            folder = folder or "/"
            if name in ("", ".", ".."):
                raise no_such_file(path)
            missing = f"{name}/{missing}".rstrip("/")
        anchor = os.open(folder, PATH_ONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        staging = load("hermes.services.files.staging")
        stage: AbstractContextManager[Stage] = staging.staged(
            anchor, missing, leftovers, self._check
        )
        return stage

    def watch(self, path: str, report: Report) -> Callable[[], None]:
        """Report what changes at a path, and below it."""
        watched = load("hermes.services.files.local_watch")
        end: Callable[[], None] = watched.start(self.find(path), report)
        return end

    @contextlib.contextmanager
    def _spot(self, path: str, *, follows: bool = True) -> Iterator[Spot]:
        """Give the folder and the name that a path leads to, a link at its end followed."""
        text = self.absolute(path)
        for _ in range(_MOST_LINKS):
            above, _, name = text.rstrip("/").rpartition("/")
            if name in ("", ".", ".."):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
            folder = os.open(above or "/", PATH_ONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                real = real_path(folder).rstrip("/")
                there = stat_at(folder, name)
                if there is None or not stat.S_ISLNK(there.st_mode) or not follows:
                    yield Spot(folder, name, f"{real}/{name}", there)
                    return
                target = os.readlink(name, dir_fd=folder)
            finally:
                os.close(folder)
            text = target if target.startswith("/") else f"{real}/{target}"
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def _is_sole(facts: os.stat_result) -> bool:
    """Say whether what was found is a file with no other name."""
    return stat.S_ISREG(facts.st_mode) and facts.st_nlink == 1


def check_regular(mode: int, path: str) -> None:
    """Refuse what is no regular file."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, f"is {_name(mode)}, not a file", path)


def _name(mode: int) -> str:
    names = {
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a disk",
    }
    return names.get(stat.S_IFMT(mode), "something special")


def _target(spot: Spot) -> str:
    if spot.there is None or not stat.S_ISLNK(spot.there.st_mode):
        return ""
    return os.readlink(spot.name, dir_fd=spot.folder)


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


def _replace(spot: Spot, data: bytes, *, is_new: bool, mode: int | None) -> None:
    """Put a new file in the place of what is there: who reads meanwhile sees the old or the new."""
    with _placing(spot, temporary_name(spot.name), is_new=is_new) as descriptor:
        if spot.there is None and mode is not None:
            os.fchmod(descriptor, mode)
        LocalSink(descriptor).write(data)


@contextlib.contextmanager
def _placing(spot: Spot, temporary: str, *, is_new: bool) -> Iterator[int]:
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
        if is_new:  # a name that somebody has taken meanwhile stays theirs
            os.link(temporary, spot.name, src_dir_fd=spot.folder, dst_dir_fd=spot.folder)
            os.unlink(temporary, dir_fd=spot.folder)
        else:
            os.replace(temporary, spot.name, src_dir_fd=spot.folder, dst_dir_fd=spot.folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=spot.folder)
        raise
    sync(spot.folder)


def _overwrite(spot: Spot, data: bytes) -> None:
    """Write into the file itself: it has other names too, which must go on naming it."""
    flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(spot.name, flags, dir_fd=spot.folder)
    try:
        _put(descriptor, data)
        os.ftruncate(descriptor, len(data))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _append(spot: Spot, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(spot.name, flags, 0o666, dir_fd=spot.folder)
    try:
        _put(descriptor, data)
    finally:
        os.close(descriptor)
