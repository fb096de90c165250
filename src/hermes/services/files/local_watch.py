"""Watch files of this machine, by the kernel's word where it gives one."""

from __future__ import annotations

import os.path
import posixpath
import threading
from collections.abc import Callable, Collection

from watchfiles import Change
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from hermes.base.errors import ToolError
from hermes.environments.inside.present import Present
from hermes.services.files.disk import Found, Report

_QUIET_MS = 50
_LONGEST_MS = 400
_POLLING_MS = 300


def start(found: Found, report: Report) -> Callable[[], None]:
    """Report what changes at a path that was found and below it, from a thread of its own.

    A file is watched by its folder: many programs put a new file in its place.

    Raises:
        OSError: it is not there any more, or may not be watched.
        ToolError: the system watches no more.
    """
    is_folder = found.kind == "folder"
    folder = found.path if is_folder else posixpath.dirname(found.path)
    try:
        notify = RustNotify([folder], False, False, _POLLING_MS, is_folder, True)
    except WatchfilesRustInternalError as error:
        raise ToolError(
            f"{found.path} cannot be watched: {error}",
            code="unavailable",
            hint="Watch a smaller folder: the system watches only so many (fs.inotify limits).",
        ) from error
    ending, present = threading.Event(), Present()
    if is_folder:
        present.look(folder)
    else:
        present.came(found.path)

    def work() -> None:
        with notify:
            while isinstance(some := notify.watch(_LONGEST_MS, _QUIET_MS, 0, ending), set):
                for path, kinds in sorted(_by_path(some).items()):
                    if is_folder or path == found.path:
                        report(_seen(present, _word(path, kinds), path), path)

    threading.Thread(target=work, name="hermes-watch", daemon=True).start()
    return ending.set


def _seen(present: Present, word: str, path: str) -> str:
    """Return what happened, in the light of what was there before."""
    if word == "deleted":
        present.went(path)
        return word
    return "modified" if present.came(path) else word


def _by_path(changes: Collection[tuple[int, str]]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for kind, path in changes:
        found.setdefault(path, set()).add(kind)
    return found


def _word(path: str, kinds: set[int]) -> str:
    """Return what became of a path to which several things happened, in no known order."""
    if Change.deleted in kinds and (len(kinds) == 1 or not os.path.lexists(path)):
        return "deleted"
    return "created" if Change.added in kinds and Change.deleted not in kinds else "modified"
