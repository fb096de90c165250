"""Choose who searches: ripgrep, Python here, or the helper where the files are."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Protocol

from hermes.base.errors import ToolError
from hermes.environments.inside import seeking, walking
from hermes.environments.inside.searching import Hit, Pick, Question, Tally
from hermes.environments.inside.walking import Scope
from hermes.services.files import Work
from hermes.services.files.disk import Disk, Opened
from hermes.services.files.local_disk import Held, LocalDisk, LocalOpened
from hermes.services.files.remote_disk import RemoteDisk
from hermes.services.files.searching.ripgrep import Ripgrep, program
from hermes.services.files.searching.running import Runner

_HEAD = 1 << 16


class Finder(Protocol):
    """Searches below one folder."""

    root: str
    only: str
    """The one file that is searched, if the path named one."""

    def tally(self, question: Question) -> Tally:
        """Count hits by file."""

    def hits(self, question: Question, picks: list[Pick], context: int) -> list[Hit]:
        """Return some hits, sorted as they were picked."""

    def names(self, scope: Scope) -> list[str]:
        """Return the files in scope, sorted."""


class Plain:
    """Search with Python alone."""

    def __init__(self, held: Held, only: str, is_stopped: Callable[[], bool]) -> None:
        self.root, self._place = held
        self.only, self._is_stopped = only, is_stopped

    def tally(self, question: Question) -> Tally:
        """Count hits by file."""
        return seeking.tally(question._replace(at=self._place), self._is_stopped)

    def hits(self, question: Question, picks: list[Pick], context: int) -> list[Hit]:
        """Return some hits."""
        return seeking.hits(question._replace(at=self._place), picks, context, self._is_stopped)

    def names(self, scope: Scope) -> list[str]:
        """Return the files in scope."""
        return walking.listed(self.root, scope, self._place)


class Elsewhere:
    """Search by the helper where the files are."""

    def __init__(
        self, disk: RemoteDisk, root: str, only: str, is_stopped: Callable[[], bool]
    ) -> None:
        self.root, self.only = root, only
        self._disk, self._is_stopped = disk, is_stopped

    def tally(self, question: Question) -> Tally:
        """Count hits by file."""
        return self._disk.ask(self._disk.files.tally(question), self._is_stopped)

    def hits(self, question: Question, picks: list[Pick], context: int) -> list[Hit]:
        """Return some hits."""
        return self._disk.ask(self._disk.files.hits(question, picks, context), self._is_stopped)

    def names(self, scope: Scope) -> list[str]:
        """Return the files in scope."""
        return self._disk.ask(self._disk.files.names(self.root, scope), self._is_stopped)


@contextlib.contextmanager
def finder(work: Work, path: str, is_stopped: Callable[[], bool]) -> Iterator[Finder]:
    """Give what searches below a path, which is judged here; the folder is held meanwhile."""
    disk = work.disk
    found = disk.find(path)
    if found.kind == "folder":
        with _folder(disk, found.path, is_stopped) as made:
            yield made
        return
    with disk.open(path) as file:  # what is no regular file is refused here
        _check_text(file, path)
        folder, _, only = file.found.path.rpartition("/")
        if not isinstance(disk, LocalDisk):
            assert isinstance(disk, RemoteDisk)
            yield Elsewhere(disk, folder or "/", only, is_stopped)
            return
        assert isinstance(file, LocalOpened)
        with disk.held(folder or "/", is_judged=False) as held:
            rg = program()
            if rg is None:
                yield Plain(held, only, is_stopped)
            else:
                yield Ripgrep(Runner(rg, held.place, is_stopped), held, only, file.descriptor)


@contextlib.contextmanager
def _folder(disk: Disk, path: str, is_stopped: Callable[[], bool]) -> Iterator[Finder]:
    if isinstance(disk, RemoteDisk):
        yield Elsewhere(disk, path, "", is_stopped)
        return
    assert isinstance(disk, LocalDisk)
    with disk.held(path) as held:
        rg = program()
        if rg is None:
            yield Plain(held, "", is_stopped)
        else:
            yield Ripgrep(Runner(rg, held.place, is_stopped), held, "", None)


def _check_text(file: Opened, path: str) -> None:
    head = file.read(0, _HEAD)
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ToolError(
            f"{path} is not text: {file.found.size:,} bytes with zeros among them",
            code="binary_file",
            hint="Use read_file with hex=true to look at its bytes.",
        )
