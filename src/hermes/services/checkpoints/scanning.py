"""List all that a workspace holds; what has not changed since the last time is not read again."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from hermes.base.errors import HermesError
from hermes.policy.paths.regenerable import is_rebuilt
from hermes.services.checkpoints.model import ABSENT, Entry, State

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MOST = 200_000
_DEEPEST = 200
_FRESH_NS = 100_000_000
_NEVER = (0, 0, 0, -1)
_MARKS = frozenset({"CACHEDIR.TAG", "pyvenv.cfg"})
_OFTEN_BUILT = frozenset({"build", "dist", "target", "out", "coverage", "htmlcov", "_build"})


class TooMuch(HermesError):
    """A workspace is too large to be kept."""

    code = "too_much"


class Seen(NamedTuple):
    """A path as it was seen, and what tells whether it is still the same."""

    facts: tuple[int, int, int, int]
    state: State


class Reading(NamedTuple):
    """How files are read that are not known."""

    read: Callable[[int], tuple[str, int]]
    """Takes an open file and gives its digest and size."""
    has: Callable[[str], bool]
    """Says whether a content need not be read again."""
    file_bytes: int
    object_bytes: int
    """The largest file that is kept among git's objects, without which a repository is lost."""
    skipped: str = ""
    """The folder of the store, which may lie in the workspace."""


def scan(root: str, known: Mapping[str, Seen], reading: Reading) -> dict[str, Seen]:
    """Return what is below a folder, by path relative to it.

    Left out is what programs make again by themselves, what lies on another file system, and what
    is neither file, folder nor link. Links are not followed.

    Raises:
        TooMuch: there are too many files.
        OSError: the folder cannot be read.
    """
    return _Scan(root, known, reading).run()


class _Scan:
    def __init__(self, root: str, known: Mapping[str, Seen], reading: Reading) -> None:
        self._root, self._known, self._reading = root, known, reading
        self._found: dict[str, Seen] = {}
        self._fresh = time.time_ns() - _FRESH_NS
        self._device = 0
        self._built: frozenset[str] = frozenset()

    def run(self) -> dict[str, Seen]:
        descriptor = os.open(self._root, _FOLDER)
        try:
            self._device = os.fstat(descriptor).st_dev
            self._built = _ignored(descriptor) & _OFTEN_BUILT
            self._folder(descriptor, "", 0)
        finally:
            os.close(descriptor)
        return self._found

    def _folder(self, descriptor: int, prefix: str, depth: int) -> None:
        with os.scandir(descriptor) as listed:
            entries = list(listed)
        if depth and any(entry.name in _MARKS for entry in entries):
            del self._found[prefix[:-1]]
            return
        if len(self._found) + len(entries) > _MOST or depth > _DEEPEST:
            raise TooMuch(f"{self._root} holds more than {_MOST} files, too many to keep")
        for entry in entries:
            with contextlib.suppress(FileNotFoundError, PermissionError):  # gone, or not ours
                self._entry(descriptor, entry, prefix, depth)

    def _entry(self, above: int, entry: os.DirEntry[str], prefix: str, depth: int) -> None:
        path = prefix + entry.name
        facts = entry.stat(follow_symlinks=False)
        mode = facts.st_mode
        if stat.S_ISREG(mode):
            self._found[path] = self._file(above, entry.name, path, facts)
        elif stat.S_ISLNK(mode):
            self._found[path] = Seen(_NEVER, State("link", os.readlink(entry.name, dir_fd=above)))
        elif stat.S_ISDIR(mode) and not self._is_skipped(entry.name, path, facts):
            self._found[path] = Seen(_NEVER, State("folder", "", stat.S_IMODE(mode)))
            descriptor = os.open(entry.name, _FOLDER, dir_fd=above)
            try:
                self._folder(descriptor, f"{path}/", depth + 1)
            finally:
                os.close(descriptor)

    def _is_skipped(self, name: str, path: str, facts: os.stat_result) -> bool:
        if is_rebuilt(name) or name in self._built or facts.st_dev != self._device:
            return True
        return f"{self._root}/{path}" == self._reading.skipped

    def _file(self, above: int, name: str, path: str, facts: os.stat_result) -> Seen:
        now = (facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino)
        mode = stat.S_IMODE(facts.st_mode)
        known = self._known.get(path)
        if known is not None and known.facts == now and self._reading.has(known.state.digest):
            return known if known.state.mode == mode else Seen(now, known.state._replace(mode=mode))
        limit = self._reading.file_bytes
        if ".git/objects/" in path:
            limit = max(limit, self._reading.object_bytes)
        if facts.st_size > limit:
            return Seen(_NEVER, State("file", f"too large {now}", mode, facts.st_size))
        descriptor = os.open(name, _READ, dir_fd=above)
        try:
            digest, size = self._reading.read(descriptor)
        finally:
            os.close(descriptor)
        is_settled = facts.st_ctime_ns < self._fresh
        return Seen(now if is_settled else _NEVER, State("file", digest, mode, size))


def _ignored(root: int) -> frozenset[str]:
    """Return the names that a project itself calls not worth keeping."""
    try:
        descriptor = os.open(".gitignore", _READ, dir_fd=root)
    except OSError:
        return frozenset()
    try:
        lines = os.read(descriptor, 1 << 16).decode(errors="replace").splitlines()
    finally:
        os.close(descriptor)
    return frozenset(line.strip().strip("/") for line in lines)


def difference(
    root: str, before: Mapping[str, State], after: Mapping[str, State]
) -> tuple[Entry, ...]:
    """Return what is not the same any more."""
    found = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path, ABSENT), after.get(path, ABSENT)
        if old != new:
            found.append(Entry(f"{root}/{path}", old, new))
    return tuple(found)
