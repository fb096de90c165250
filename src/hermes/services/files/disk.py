"""What the file tools need of the place where a task's files are."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from hermes.services.files.leftovers import Leftovers

Kind = Literal["file", "folder", "link", "other"]
Verb = Literal["read", "write", "delete"]


class Check(Protocol):
    """Judges an absolute path, free of links, at the moment of its use."""

    def __call__(self, verb: Verb, path: str, *, is_sole: bool = False) -> None:
        """Raise ``Denied`` if it may not be used so.

        ``is_sole`` says of an opened object that it is a file with no other name.
        """


Manner = Literal["overwrite", "append", "create"]
Version = tuple[int, int, int]
"""What changes when a file does."""
Report = Callable[[str, str], None]
"""Told ``created``, ``modified``, ``deleted`` or ``overflow``, and a path; from any thread."""


def at_once() -> None:
    """Wait for nothing."""


def check_no_folder(path: str) -> None:
    """Refuse a path that says itself that it leads to a folder, where a file is to be made."""
    if path.endswith("/"):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)


class Found(NamedTuple):
    """What is known of a file without reading it."""

    path: str
    """Absolute and free of links; of an entry that is a link, where the link itself is."""
    kind: Kind
    size: int
    mode: int
    modified_ns: int
    inode: int = 0
    links: int = 1
    target: str = ""
    """Where a link points."""

    @property
    def version(self) -> Version:
        """Return what changes when the file does."""
        return self.modified_ns, self.size, self.inode


class Overtaken(Exception):
    """Somebody else changed a file while a change of it was prepared."""


class Timing(NamedTuple):
    """What a change waits for."""

    settled: Callable[[], None] = at_once
    """Waits, before anything changes that somebody else could see; what it raises ends it.

    It may be called more than once.
    """
    version: Version | None = None
    """What is to be replaced, looked at once more when all else is done."""
    meanwhile: Callable[[], object] = at_once
    """What may be worked out before that; not called where it spares no time."""


AT_ONCE = Timing()


class Opened(Protocol):
    """A regular file that is open for reading."""

    found: Found

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes from a place on; fewer only at the end."""


class Written(NamedTuple):
    """What a write did."""

    found: Found
    is_new: bool
    folders: int = 0
    """How many folders were made for it."""


class Sink(Protocol):
    """A file that is being written, and is nowhere to be seen before it is whole."""

    def write(self, data: bytes) -> int:
        """Add bytes to its end."""


class Step(NamedTuple):
    """One thing of a staged tree that has to be moved: a file, a link, or a new folder whole."""

    name: str
    replaces: bool


class Stage(Protocol):
    """A tree that is being written, and is nowhere to be seen before it is whole.

    Names are relative to the folder that it will be in. No link is ever followed, and nothing is
    written anywhere else, whatever the names say.
    """

    path: str
    """Where it will be, absolute and free of links."""

    def folder(self, name: str, mode: int | None, modified_ns: int | None) -> None:
        """Make a folder, and those above it."""

    def file(
        self, name: str, parts: Iterable[bytes], mode: int | None, modified_ns: int | None
    ) -> None:
        """Write a file; one of the same name is replaced."""

    def link(self, name: str, target: str) -> None:
        """Make a symbolic link."""

    def twin(self, name: str, other: str) -> None:
        """Give a file of this tree another name."""

    def plan(self, *, overwrite: bool) -> list[Step]:
        """Return what has to be moved into its place.

        Raises:
            ToolError: something is in the way.
        """

    def settle(self, steps: list[Step]) -> None:
        """Move all of it into its place, or nothing."""


class Disk(Protocol):
    """The files of one task for one call; every path is judged when it is used.

    Paths may be relative to the task's folder and begin with ``~``. Raises ``OSError`` with the
    usual numbers, and ``Denied``.
    """

    is_local: bool

    def absolute(self, path: str) -> str:
        """Return a path as it is meant, links and all."""

    def real(self, path: str) -> str:
        """Return where a path leads, to tell files apart by; nobody is told, so nobody judges."""

    def find(self, path: str, *, follow: bool = True, verb: Verb = "read") -> Found:
        """Return what is known of a path; ``verb`` says what it is looked at for."""

    def open(self, path: str, verb: Verb = "read") -> AbstractContextManager[Opened]:
        """Open a regular file; what could make us wait is refused."""

    def read(self, path: str, verb: Verb = "read") -> tuple[Found, bytes]:
        """Return a whole file; what is only kept while it is replaced is judged as written."""

    def ready(self, path: str, most: int) -> tuple[Found, bytes] | None:
        """Return a whole file that is small and that nobody has to wait for; else None."""

    def write(
        self,
        path: str,
        data: bytes,
        manner: Manner = "overwrite",
        *,
        mode: int | None = None,
        timing: Timing = AT_ONCE,
    ) -> Written:
        """Replace a file in one step, add to its end, or make one that is not there.

        ``mode`` is for a file that is made; one that is there keeps its own.

        Raises:
            Overtaken: it is another version by then; nothing was changed.
        """

    def remove(self, path: str) -> Found:
        """Remove a file or a link, and return what it was."""

    def entries(self, path: str) -> Iterator[Found]:
        """Yield what is in a folder, in no order; links are not followed."""

    def create(
        self, path: str, leftovers: Leftovers, *, overwrite: bool
    ) -> AbstractContextManager[Sink]:
        """Write a file in pieces; it takes its place when the block ends well, in one step."""

    def stage(self, path: str, leftovers: Leftovers) -> AbstractContextManager[Stage]:
        """Write a tree that is moved below a path when it is whole; else nothing is left of it."""

    def watch(self, path: str, report: Report) -> Callable[[], None]:
        """Report what changes at a path, and below it; returns what ends that."""
