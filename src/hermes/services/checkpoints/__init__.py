"""Keep what changes overwrite, so that they can be undone, and finish what a crash cut short."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from hermes.base.errors import HermesError, ToolError
from hermes.services.checkpoints.blobs import digest_of
from hermes.services.checkpoints.commands import Commands
from hermes.services.checkpoints.model import ABSENT, UNNAMED, Checkpoint, Entry, State
from hermes.services.checkpoints.pruning import Pruned, prune
from hermes.services.checkpoints.store import LARGEST_NOTED, Store

log = logging.getLogger(__name__)


_PRUNE_SECONDS = 60
_LARGE = 1 << 16


class Limits(NamedTuple):
    """How much is kept."""

    total_bytes: int = 2_000 << 20
    keep_seconds: float = 7 * 86_400.0
    file_bytes: int = 100 << 20


class Caller(Protocol):
    """Who changes files, in the words of the runtime."""

    call_id: str
    tool: str

    @property
    def task_id(self) -> str:
        """The task that the call belongs to."""

    @property
    def workspace(self) -> str:
        """The folder that the task started in."""


class Change(Protocol):
    """What is about to happen to one file, in the words of the file tools."""

    @property
    def path(self) -> str:
        """Where it is."""

    @property
    def before(self) -> bytes | None:
        """What it holds now, or None."""

    @property
    def after(self) -> bytes | None:
        """What it will hold, or None."""

    @property
    def mode(self) -> int:
        """Its mode."""

    @property
    def digest(self) -> Callable[[], str] | None:
        """What gives the SHA-256 of what it will hold, if somebody knows it."""


class Checkpoints:
    """Make a checkpoint of every change; fits what the file tools call a keeper."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.store, self.limits = Store(folder), limits or Limits()
        self.commands = Commands(self.store, self.limits)
        self._pruned = 0.0
        self._tidying: threading.Thread | None = None

    @property
    def largest(self) -> int:
        """How large a file may be that changes alone; several that change together are kept."""
        return self.limits.file_bytes

    def begin(self, caller: Caller, changes: Sequence[Change], *, is_local: bool) -> str:
        """Write down what is about to change, and return the name of that.

        Raises:
            ToolError: it cannot be written; the change must not happen.
        """
        with _told():
            entries, contents = _described(changes, self.limits, is_local=is_local)
            checkpoint = Checkpoint(
                os.urandom(4).hex(),
                time.time(),
                caller.task_id,
                caller.call_id,
                caller.tool,
                caller.workspace,
                entries=tuple(entries),
                is_local=is_local,
            )
            return self.store.begin(checkpoint, contents)

    def secure(self, name: str) -> None:
        """Wait until what was begun survives a power cut.

        Raises:
            ToolError: it cannot be written; the change must not happen.
        """
        with _told():
            self.store.secure(name)

    def end(self, name: str, *, is_done: bool) -> None:
        """Note that all of it was done; or that it failed, and see to it that all is as before."""
        if self.store.end(name, "done") if is_done else self.store.give_up(name):
            self.tidy()

    def tidy(self) -> None:
        """Move notes to the store and prune it, in a thread of its own."""
        if self._tidying is None or not self._tidying.is_alive():
            self._tidying = threading.Thread(target=self._tidy, name="checkpoints", daemon=True)
            self._tidying.start()

    def _tidy(self) -> None:
        try:
            self.store.move()
            if time.monotonic() - self._pruned > _PRUNE_SECONDS or not self._pruned:
                self._pruned = time.monotonic()
                self.prune()
        except (OSError, HermesError) as error:
            log.error("checkpoints: the store could not be tidied: %s", error)

    def prune(self) -> Pruned:
        """Drop what is too old or too much."""
        self.store.move()
        return prune(self.store, self.limits)

    def entries(self, checkpoint: Checkpoint) -> Iterator[tuple[Entry, State | None]]:
        """Yield what a checkpoint says of its paths, and what they became, where that is known.

        Raises:
            Lost: it is not kept any more.
        """
        if checkpoint.tree:
            for entry in self.commands.since(checkpoint):
                yield entry, None
        for entry in self.store.whole(checkpoint).entries:
            yield entry, entry.after

    def close(self) -> None:
        """Let go of the notes, once they are tidy."""
        if self._tidying is not None:
            self._tidying.join()
        self.store.close()


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Say to the model why a change does not happen."""
    try:
        yield
    except (OSError, HermesError) as error:
        raise ToolError(
            f"nothing was changed: what it would overwrite cannot be kept ({error})",
            code="checkpoint_unwritable",
            hint="The user can make room in the home folder, or set checkpoints.enabled to false.",
        ) from error


def _described(
    changes: Sequence[Change], limits: Limits, *, is_local: bool
) -> tuple[list[Entry], dict[str, bytes]]:
    """Return what happens to which path, and the contents that must be kept for it."""
    entries: list[Entry] = []
    contents: dict[str, bytes] = {}
    for change in changes:
        path = os.path.realpath(change.path) if is_local and change.before is None else change.path
        after = _new_state(change)
        before = _old_state(change.before, change.mode, len(entries))
        in_place = is_local and change.before is not None and _has_other_names(path)
        if change.before is not None:
            is_needed = len(changes) > 1 or in_place  # or a crash could not be mended
            if is_needed or before.size <= limits.file_bytes:
                contents[before.digest] = change.before
            if in_place and change.after is not None:
                contents[after.digest] = change.after
        elif is_local:
            entries += [Entry(made, ABSENT, State("folder", "", 0o755)) for made in _missing(path)]
        entries.append(Entry(path, before, after, in_place))
    return entries, contents


def _state(content: bytes | None, mode: int) -> State:
    if content is None:
        return ABSENT
    return State("file", digest_of(content), mode, len(content))


def _new_state(change: Change) -> State:
    """Return what a file will be; of a large content, somebody may know the digest already."""
    content = change.after
    if content is None or change.digest is None or len(content) <= _LARGE:
        return _state(content, change.mode)
    return State("file", change.digest(), change.mode, len(content))


def _old_state(content: bytes | None, mode: int, place: int) -> State:
    """Return a state whose content, if it is large, gets its name only when it is moved."""
    if content is None or not _LARGE < len(content) <= LARGEST_NOTED:
        return _state(content, mode)
    return State("file", f"{UNNAMED}{place}", mode, len(content))


def _has_other_names(path: str) -> bool:
    try:
        return os.lstat(path).st_nlink > 1
    except OSError:
        return False


def _missing(path: str) -> list[str]:
    """Return the folders that will be made for a file, the topmost first."""
    found: list[str] = []
    folder = os.path.dirname(path)  # noqa: PTH120 - a text
    while folder != "/" and not os.path.lexists(folder):
        found.append(folder)
        folder = os.path.dirname(folder)  # noqa: PTH120 - a text
    return found[::-1]
