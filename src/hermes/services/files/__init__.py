"""Files for tools: read, written, patched, searched, listed and watched where the task works."""

from __future__ import annotations

import contextlib
import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from hermes.base.errors import ToolError
from hermes.services.files.disk import Check, Disk, Verb
from hermes.services.files.leftovers import Leftovers
from hermes.services.files.read_log import ReadLog
from hermes.services.files.turns import Turns
from hermes.services.files.watching import Watches
from hermes.services.files.windows import Index


class Caller(Protocol):
    """Who calls, in the words of the runtime: its context fits."""

    call_id: str
    tool: str
    may_wait: bool
    """Whether it is called where it may wait for the disk."""
    has_path_rules: bool
    """Whether rules tell paths apart, beyond what their files hold."""

    @property
    def task_id(self) -> str:
        """The task that the call belongs to."""

    @property
    def cwd(self) -> Path:
        """The task's folder."""

    @property
    def workspace(self) -> str:
        """The folder that the task started in."""

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the call any more."""

    def check_path(self, verb: Verb, path: str, *, is_sole: bool = False) -> None:
        """Have a path judged at the moment of its use."""

    def digest(self, text: str) -> str:
        """Return the SHA-256 of a text as UTF-8."""

    def announced(self) -> None:
        """Wait until the journal knows of the call, before anything changes."""


class Change(NamedTuple):
    """What is about to happen to one file."""

    path: str
    """Absolute and free of links."""
    before: bytes | None
    """What it holds now; None when there is no such file."""
    after: bytes | None
    """What it will hold; None when it is removed."""
    mode: int = 0o644
    digest: Callable[[], str] | None = None
    """Gives the SHA-256 of what it will hold, if somebody knows it already."""


class Keeper(Protocol):
    """Keeps what changes overwrite, so that they can be undone; durable before the change."""

    @property
    def largest(self) -> int | None:
        """How large a file may be that changes alone; None when nothing is kept."""

    def begin(self, caller: Caller, changes: Sequence[Change], *, is_local: bool) -> str:
        """Write down what is about to change, and return the name of that."""

    def secure(self, name: str) -> None:
        """Wait until what was begun survives a power cut; only then the change may happen.

        Raises:
            ToolError: it cannot be written; the change must not happen.
        """

    def end(self, name: str, *, is_done: bool) -> None:
        """Note that all of it was done, or that nothing was and all is as before."""


class Nobody:
    """Keeps nothing."""

    largest = None

    def begin(self, caller: Caller, changes: Sequence[Change], *, is_local: bool) -> str:
        """Forget it."""
        del caller, changes, is_local
        return ""

    def secure(self, name: str) -> None:
        """Have nothing to wait for."""

    def end(self, name: str, *, is_done: bool) -> None:
        """Forget it."""


class Work(NamedTuple):
    """What one call works with."""

    caller: Caller
    disk: Disk
    log: ReadLog
    keeper: Keeper
    leftovers: Leftovers
    turns: Turns

    @property
    def task_id(self) -> str:
        """The task that the call belongs to."""
        return self.caller.task_id

    def turn(self, paths: Iterable[str]) -> contextlib.AbstractContextManager[None]:
        """Hold files while they are read and changed: other calls that change them wait."""
        return self.turns.of(
            {name for path in paths for name in self._names(path)}, self.check_wanted
        )

    def _names(self, path: str) -> Iterator[str]:
        """Yield what a file is known by: its name, and where that leads if it is there."""
        with contextlib.suppress(OSError, ToolError):  # whoever uses it will see what is wrong
            yield posixpath.normpath(self.disk.absolute(path))
            yield self.disk.real(path)

    def check_wanted(self) -> None:
        """Stop what takes long when nobody waits for it any more.

        Raises:
            ToolError: the call was cancelled.
        """
        if self.caller.cancelled:
            raise ToolError("the call was cancelled; nothing was changed", code="cancelled")


MakeDisk = Callable[[Caller, Check], Disk]


class Files:
    """What the file tools share; made once, and told when a task ends."""

    def __init__(
        self,
        make_disk: MakeDisk,
        keeper: Keeper | None = None,
        leftovers: Leftovers | None = None,
    ) -> None:
        self._make_disk, self._keeper = make_disk, keeper or Nobody()
        self._leftovers = leftovers or Leftovers()
        self._leftovers.sweep()
        self.watches = Watches()
        self._log, self._turns = ReadLog(), Turns()
        self.index = Index()
        """Where the lines of large files begin."""

    def at(self, caller: Caller) -> Work:
        """Return what one call works with."""
        disk = self._make_disk(caller, caller.check_path)
        return Work(caller, disk, self._log, self._keeper, self._leftovers, self._turns)

    def forget(self, task_id: str) -> None:
        """Drop what is known of a finished task."""
        self._log.forget(task_id)
        self.watches.forget(task_id)

    def close(self) -> None:
        """End all that goes on by itself."""
        self.watches.close()
