"""The files of this machine, by system calls on descriptors: what was judged is what is used."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple

from hermes.base.files import temporary_name
from hermes.base.optional import load
from hermes.environments.inside.filework import check_no_secret_of_processes
from hermes.services.files.descriptors import (
    PATH_ONLY,
    by_descriptor,
    found_from,
    in_memory,
    no_such_file,
    real_path,
    reopened,
    stat_at,
    sync,
)
from hermes.services.files.disk import (
    AT_ONCE,
    Check,
    Found,
    Manner,
    Report,
    Sink,
    Stage,
    Timing,
    Verb,
    Written,
    at_once,
    check_no_folder,
)
from hermes.services.files.leftovers import Leftovers
from hermes.services.files.placing import LocalSink, Spot, Way, append, overwrite, placing, replace

_MOST_LINKS = 40
_PART = 1 << 20
_LARGEST = 512 << 20


class LocalOpened:
    """A regular file of this machine, open for reading."""

    def __init__(self, descriptor: int, found: Found) -> None:
        self.descriptor, self.found = descriptor, found

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes from a place on."""
        whole = os.pread(self.descriptor, size, offset)
        while 0 < len(whole) < size:
            more = os.pread(self.descriptor, min(size - len(whole), _PART), offset + len(whole))
            if not more:
                break
            whole += more
        return whole


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

    def real(self, path: str) -> str:
        """Return where a path leads."""
        descriptor = os.open(self.absolute(path), PATH_ONLY | os.O_CLOEXEC)
        try:
            return real_path(descriptor)
        finally:
            os.close(descriptor)

    def find(self, path: str, *, follow: bool = True, verb: Verb = "read") -> Found:
        """Return what is known of a path."""
        if not follow:
            with self._spot(path, follows=False) as spot:
                if spot.there is None:
                    raise no_such_file(path)
                self._check(verb, spot.path, is_sole=_is_sole(spot.there))
                return found_from(spot.path, spot.there, _target(spot))
        descriptor = os.open(self.absolute(path), PATH_ONLY | os.O_CLOEXEC)
        try:
            real, facts = real_path(descriptor), os.fstat(descriptor)
            self._check(verb, real, is_sole=_is_sole(facts))
            return found_from(real, facts)
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def open(self, path: str, verb: Verb = "read") -> Iterator[LocalOpened]:
        """Open a regular file; a device or pipe is looked at, and never opened."""
        handle = os.open(self.absolute(path), PATH_ONLY | os.O_CLOEXEC)
        try:
            facts = os.fstat(handle)
            real = real_path(handle)
            check_regular(facts.st_mode, path)
            check_no_secret_of_processes(real, path)
            self._check(verb, real, is_sole=_is_sole(facts))
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

    def read(self, path: str, verb: Verb = "read") -> tuple[Found, bytes]:
        """Return a whole file."""
        with self.open(path, verb) as file:
            if file.found.size > _LARGEST:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
            data = file.read(0, file.found.size + 1)  # one more, to see that it ends there
            if len(data) <= file.found.size:
                return file.found, data
            parts = [data]
            while part := file.read(sum(map(len, parts)), _PART):
                parts.append(part)
            return file.found, b"".join(parts)

    def ready(self, path: str, most: int) -> tuple[Found, bytes] | None:
        """Return a whole file that is small and in memory; else None."""
        try:
            with self.open(path) as file:
                size = file.found.size
                data = in_memory(file.descriptor, size + 1) if size <= most else None
                return (file.found, data) if data is not None and len(data) == size else None
        except OSError:  # whoever may wait will see what is wrong
            return None

    def write(
        self,
        path: str,
        data: bytes,
        manner: Manner = "overwrite",
        *,
        mode: int | None = None,
        timing: Timing = AT_ONCE,
    ) -> Written:
        """Replace a file in one step, add to its end, or make one that is not there."""
        check_no_folder(path)
        is_there = timing.version is not None  # then its folder is, too
        folders = 0 if is_there else self._make_folders(path, timing.settled)
        with self._spot(path) as spot:
            self._check("write", spot.path, is_sole=spot.there is None or _is_sole(spot.there))
            if spot.there is not None:
                if manner == "create":
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
                check_regular(spot.there.st_mode, path)
            way = Way(manner == "create", mode, timing)
            if manner == "append":
                append(spot, data, way)
            elif spot.there is not None and _stays(spot, spot.there):
                overwrite(spot, data, way)
            else:
                replace(spot, data, way)
            facts = os.stat(spot.name, dir_fd=spot.folder, follow_symlinks=False)
            return Written(found_from(spot.path, facts), spot.there is None, folders)

    def _make_folders(self, path: str, settled: Callable[[], None] = at_once) -> int:
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
            settled()
            made = 0
            for name in reversed(missing):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, dir_fd=descriptor)
                    made += 1
                below = os.open(
                    name,
                    PATH_ONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC,
                    dir_fd=descriptor,
                )
                os.close(descriptor)
                descriptor = below
        finally:
            os.close(descriptor)
        return made

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
                placing(spot, name, Way(not overwrite)) as descriptor,
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


def _stays(spot: Spot, there: os.stat_result) -> bool:
    """Say whether a file is written into, and not replaced: it could not stay what it is.

    Raises:
        PermissionError: it may not be written.
    """
    if there.st_nlink > 1:
        return True
    if (user := os.geteuid()) == 0:
        return False
    if not os.access(spot.name, os.W_OK, dir_fd=spot.folder, effective_ids=True):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), spot.path)
    if there.st_uid != user or there.st_gid not in (os.getegid(), *os.getgroups()):
        return True
    return not os.access(".", os.W_OK | os.X_OK, dir_fd=spot.folder, effective_ids=True)


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
