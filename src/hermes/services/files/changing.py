"""Change several files together: all of them, or none."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hermes.base.errors import ToolError
from hermes.services.files import Change, Work
from hermes.services.files.disk import Found, Manner, Overtaken, Timing, Version, Written, at_once
from hermes.services.files.meanwhile import begun, caught_up


class Step(NamedTuple):
    """One file as a caller names it, with what it holds and what it will hold."""

    path: str
    before: bytes | None
    after: bytes | None
    version: Version | None = None
    """The version that was read; another one by now means that somebody else was at it."""
    mode: int | None = None
    """The mode of a file that is made; None for the usual one."""
    found: Found | None = None
    """What was known of the file when it was read; looked up when it is not given."""
    digest: Callable[[], str] | None = None
    """Gives the SHA-256 of what it will hold, if somebody knows it already."""
    meanwhile: Callable[[], object] = at_once
    """What may be worked out while the disk takes it; it changes nothing."""


def apply(work: Work, steps: Sequence[Step]) -> list[Written | None]:
    """Do all steps; when one fails, those before it are taken back.

    Raises:
        OSError: one failed; all files are as they were.
        ToolError: a file was changed by somebody else while this was prepared.
    """
    changes = [_change(work, step) for step in steps]
    kept = _Kept(work, changes)
    done: list[Step] = []
    results: list[Written | None] = []
    try:
        for step in steps:
            done.append(step)
            results.append(_do(work, step, kept.settled))
    except BaseException as error:
        if isinstance(error, OSError):  # it may name a file that only we know of
            error.filename = steps[len(results)].path
        for step, change in reversed(list(zip(done, changes, strict=False))):
            _undo(work, step, change.mode)
        kept.end(is_done=False)
        raise
    kept.end(is_done=True)
    for written in results:
        if written is not None:
            work.log.wrote(work.task_id, written.found.path, written.found.version)
    return results


class _Kept:
    """What changes overwrite; kept while they are prepared, and before any of them is seen."""

    def __init__(self, work: Work, changes: Sequence[Change]) -> None:
        self._work, self._changes = work, changes
        self._name: str | None = None
        self._begun = [begun(self._begin), begun(work.caller.announced)]

    def _begin(self) -> None:
        caught_up()  # or an earlier change could be known as done and yet be lost
        keeper, is_local = self._work.keeper, self._work.disk.is_local
        self._name = keeper.begin(self._work.caller, self._changes, is_local=is_local)
        keeper.secure(self._name)

    def settled(self) -> None:
        """Wait until it is known on disk what will change."""
        for each in self._begun:
            each.result()
        self._work.check_wanted()

    def end(self, *, is_done: bool) -> None:
        """Note how it ended, if it was begun at all."""
        for each in self._begun:
            each.wait()
        if self._name is not None:
            self._work.keeper.end(self._name, is_done=is_done)


def _change(work: Work, step: Step) -> Change:
    if step.before is None:
        return Change(work.disk.absolute(step.path), None, step.after, digest=step.digest)
    found = step.found or _unchanged(work, step)
    return Change(found.path, step.before, step.after, found.mode, step.digest)


def unkept(work: Work, size: int, links: int = 1) -> str:
    """Say that a file that changes alone is too large to be brought back; nothing if it is not."""
    largest = work.keeper.largest
    if largest is None or size <= largest or links > 1:
        return ""
    return "It was too large to be kept, so `hermes undo` cannot take this back."


def _unchanged(work: Work, step: Step) -> Found:
    """Return what is known of a file, as long as it is the one that was read."""
    found = work.disk.find(step.path, verb="write")
    if step.version is not None and found.version != step.version:
        raise _overtaken(step)
    return found


def _overtaken(step: Step) -> ToolError:
    return ToolError(
        f"{step.path} was changed by somebody else just now; nothing was done",
        code="conflict",
        hint="Read it again, and repeat the change on what is there.",
    )


def _do(work: Work, step: Step, settled: Callable[[], None]) -> Written | None:
    if step.after is None:
        settled()
        _unchanged(work, step)
        work.disk.remove(step.path)
        return None
    timing = Timing(settled, step.version, step.meanwhile)
    manner: Manner = "create" if step.before is None else "overwrite"
    try:
        return work.disk.write(step.path, step.after, manner, mode=step.mode, timing=timing)
    except Overtaken:
        raise _overtaken(step) from None


def _undo(work: Work, step: Step, mode: int) -> None:
    """Bring a file back to what it held; one that was not touched is left alone."""
    with contextlib.suppress(OSError):
        try:
            _, now = work.disk.read(step.path, "write")
        except FileNotFoundError:
            now = None
        if now == step.before:
            return
        if step.before is None:
            if now == step.after:
                work.disk.remove(step.path)
        elif now == step.after or now is None:
            work.disk.write(step.path, step.before, mode=mode)


def said(error: OSError, path: str) -> ToolError:
    """Return what the model is told of a system call that failed."""
    words = {
        errno.ENOENT: ("there is no such file", "not_found"),
        errno.EACCES: ("permission denied", "permission_denied"),
        errno.EPERM: ("permission denied", "permission_denied"),
        errno.EISDIR: ("it is a folder", "is_folder"),
        errno.ENOTDIR: ("a part of the path is a file, not a folder", "not_a_folder"),
        errno.EEXIST: ("it is there already", "exists"),
        errno.ENOSPC: ("the disk is full; nothing was changed", "disk_full"),
        errno.EDQUOT: ("the quota is used up; nothing was changed", "disk_full"),
        errno.EROFS: ("the file system is read-only", "read_only"),
        errno.ENAMETOOLONG: ("the name is too long", "invalid_path"),
        errno.ELOOP: ("its links lead in a circle", "invalid_path"),
        errno.EFBIG: ("it is too large for that", "too_large"),
    }
    text, code = words.get(error.errno or 0, (error.strerror or str(error), "file_error"))
    return ToolError(f"{named(path)}: {text}", code=code)


def named(path: str) -> str:
    """Return a path as it is said in an error: quoted where it would not be seen otherwise."""
    return path if path and path == path.strip() and path.isprintable() else repr(path)
