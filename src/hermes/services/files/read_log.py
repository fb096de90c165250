"""Which files a task has seen, so that it is told when they were changed by somebody else."""

from __future__ import annotations

import threading
from typing import NamedTuple

from hermes.services.files.disk import Version

_MOST_FILES = 10_000


class Seen(NamedTuple):
    """What a task knows of a file."""

    version: Version
    is_whole: bool
    """Whether it saw all of it."""


class ReadLog:
    """Remember for each task which version of which file it has seen or written."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, Seen]] = {}
        self._writers: dict[str, tuple[str, Version]] = {}
        self._lock = threading.Lock()

    def saw(self, task_id: str, path: str, version: Version, *, is_whole: bool) -> None:
        """Note that a task has read a file."""
        with self._lock:
            mine = self._seen.setdefault(task_id, {})
            before = mine.pop(path, None)
            is_whole = is_whole or (
                before is not None and before.is_whole and before.version == version
            )
            mine[path] = Seen(version, is_whole)
            while len(mine) > _MOST_FILES:
                del mine[next(iter(mine))]

    def wrote(self, task_id: str, path: str, version: Version) -> None:
        """Note that a task has written a file, and so knows it."""
        self.saw(task_id, path, version, is_whole=True)
        with self._lock:
            self._writers[path] = (task_id, version)
            while len(self._writers) > _MOST_FILES:
                del self._writers[next(iter(self._writers))]

    def seen(self, task_id: str, path: str) -> Seen | None:
        """Return what a task knows of a file."""
        return self._seen.get(task_id, {}).get(path)

    def warning(self, task_id: str, path: str, version: Version) -> str | None:
        """Say what a task that replaces this version of a file should know."""
        seen = self.seen(task_id, path)
        if seen is None:
            return "The file was there already and this task had not read it; it was replaced."
        if seen.version == version:
            return None
        who = self.writer(task_id, path, version)
        return f"The file was changed by {who} since this task read it; that change was replaced."

    def writer(self, task_id: str, path: str, version: Version) -> str:
        """Say who wrote this version of a file, in the eyes of a task that did not."""
        writer = self._writers.get(path)
        by_sibling = writer is not None and writer[0] != task_id and writer[1] == version
        return "another task" if by_sibling else "somebody else"

    def forget(self, task_id: str) -> None:
        """Drop what a finished task has seen."""
        with self._lock:
            self._seen.pop(task_id, None)
