"""The files of another machine or a container, by the helper that runs there."""

from __future__ import annotations

import contextlib
import errno
import os
import posixpath
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from hermes.base.errors import ToolError
from hermes.environments.contract import Environment, Stat
from hermes.services.files.disk import (
    AT_ONCE,
    Check,
    Found,
    Manner,
    Opened,
    Overtaken,
    Report,
    Sink,
    Stage,
    Timing,
    Verb,
    Written,
    check_no_folder,
)
from hermes.services.files.leftovers import Leftovers
from hermes.services.files.remote_staging import RemoteStage, Upload

T = TypeVar("T")
_WAIT_SECONDS = 600.0
_LOOK_SECONDS = 0.1
_NANO = 1_000_000_000


class RemoteOpened:
    """A regular file elsewhere; each read asks for it."""

    def __init__(self, disk: RemoteDisk, found: Found) -> None:
        self._disk, self.found = disk, found

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes from a place on."""
        return self._disk.bytes_of(self.found.path, offset, size)


class RemoteDisk:
    """Work on the files of a task's environment for one call, from a thread.

    The boundary there is the environment itself; paths are judged by their text.
    """

    is_local = False

    def __init__(
        self,
        environment: Environment,
        cwd: str,
        check: Check,
        submit: Callable[[Coroutine[Any, Any, Any]], Future[Any]],
    ) -> None:
        self._environment, self._cwd, self._check, self._submit = environment, cwd, check, submit
        self.files = environment.files

    def ask(self, work: Coroutine[Any, Any, T], is_stopped: Callable[[], bool]) -> T:
        """Return what the helper there answers; a caller who gives up has it told so."""
        future = self._submit(work)
        while not wait((future,), _LOOK_SECONDS).done:
            if is_stopped():
                future.cancel()
                raise ToolError("the call was cancelled", code="cancelled")
        value: T = future.result()
        return value

    def _ask(self, work: Coroutine[Any, Any, T]) -> T:
        value: T = self._submit(work).result(_WAIT_SECONDS)
        return value

    def bytes_of(self, path: str, offset: int, size: int | None) -> bytes:
        """Return bytes of a file there."""
        return self._ask(self.files.read(path, offset, size))

    def absolute(self, path: str) -> str:
        """Return a path as it is meant there."""
        if "\0" in path:
            raise OSError(errno.EINVAL, "a path cannot have a NUL in it", path.replace("\0", "␀"))
        if not self._environment.home:
            self._ask(self._environment.start())
        if path == "~" or path.startswith("~/"):
            path = self._environment.home + path[1:]
        return posixpath.normpath(posixpath.join(self._cwd or self._environment.root, path))

    def real(self, path: str) -> str:
        """Return where a path leads."""
        return self.find(path, verb="write").path

    def find(self, path: str, *, follow: bool = True, verb: Verb = "read") -> Found:
        """Return what is known of a path."""
        absolute = self.absolute(path)
        self._check(verb, absolute)
        return _found(self._ask(self.files.stat(absolute, follow=follow)))

    @contextlib.contextmanager
    def open(self, path: str, verb: Verb = "read") -> Iterator[Opened]:
        """Open a regular file."""
        found = self.find(path, verb=verb)
        _check_regular(found, path)
        yield RemoteOpened(self, found)

    def ready(self, path: str, most: int) -> tuple[Found, bytes] | None:
        """Return None: what is elsewhere has to be waited for."""
        del path, most
        return None

    def read(self, path: str, verb: Verb = "read") -> tuple[Found, bytes]:
        """Return a whole file."""
        found = self.find(path, verb=verb)
        _check_regular(found, path)
        return found, self.bytes_of(found.path, 0, None)

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
        absolute = self.absolute(path)
        self._check("write", absolute)
        is_new = not self._is_there(absolute)
        if manner == "create" and not is_new:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        new_mode = mode or 0 if is_new else 0
        timing.settled()
        wanted = timing.version
        if wanted is not None and self.find(path, verb="write").version != wanted:
            raise Overtaken(path)
        folders = self._missing_above(absolute) if is_new else 0
        stat = self._ask(self.files.write(absolute, data, append=manner == "append", mode=new_mode))
        return Written(_found(stat), is_new, folders)

    def _missing_above(self, absolute: str) -> int:
        """Return how many folders a new file needs that are not there."""
        missing, folder = 0, posixpath.dirname(absolute)
        while not self._has(folder):
            missing, folder = missing + 1, posixpath.dirname(folder)
        return missing

    def _has(self, absolute: str) -> bool:
        try:
            self._ask(self.files.stat(absolute))
        except FileNotFoundError:
            return False
        return True

    def _is_there(self, absolute: str) -> bool:
        try:
            found = _found(self._ask(self.files.stat(absolute)))
        except FileNotFoundError:
            return False
        _check_regular(found, absolute)
        return True

    def remove(self, path: str) -> Found:
        """Remove a file or a link, and return what it was."""
        absolute = self.absolute(path)
        self._check("delete", absolute)
        found = _found(self._ask(self.files.stat(absolute, follow=False)))
        if found.kind == "folder":
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        self._ask(self.files.remove(absolute))
        return found

    def entries(self, path: str) -> Iterator[Found]:
        """Yield what is in a folder; links are not followed."""
        absolute = self.absolute(path)
        self._check("read", absolute)
        yield from map(_found, self._ask(self.files.list(absolute)))

    @contextlib.contextmanager
    def create(self, path: str, leftovers: Leftovers, *, overwrite: bool) -> Iterator[Sink]:
        """Write a file in pieces beside its place; it is renamed when the block ends well."""
        del leftovers  # it is not on this machine
        absolute = self.absolute(path)
        self._check("write", absolute)
        if self._is_there(absolute) and not overwrite:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        self._ask(self.files.make_folder(posixpath.dirname(absolute)))
        with Upload(self.files, self._ask, absolute) as upload:
            yield upload

    @contextlib.contextmanager
    def stage(self, path: str, leftovers: Leftovers) -> Iterator[Stage]:
        """Write a tree on this machine, that is sent there and moved below a path once whole."""
        absolute = self.absolute(path)
        self._check("write", absolute)
        stage = RemoteStage(self._environment, self._ask, absolute, self._check)
        with stage.opened(leftovers):
            yield stage

    def watch(self, path: str, report: Report) -> Callable[[], None]:
        """Report what changes at a path, and below it."""
        absolute = self.absolute(path)
        self._check("read", absolute)
        if "watch" in self._environment.lacks:
            raise OSError(errno.ENOTSUP, f"{self._environment.name} cannot watch files", path)
        end = self._ask(self.files.watch(absolute, report))
        return lambda: self._end_watch(end)

    def _end_watch(self, end: Callable[[], None]) -> None:
        async def ended() -> None:
            end()

        with contextlib.suppress(Exception):
            self._submit(ended())


def _found(stat: Stat) -> Found:
    return Found(
        stat.path,
        stat.kind,
        stat.size,
        stat.mode,
        int(stat.modified * _NANO),
        stat.inode,
        target=stat.target,
    )


def _check_regular(found: Found, path: str) -> None:
    if found.kind == "folder":
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if found.kind != "file":
        raise OSError(errno.EINVAL, "is not a file", path)
