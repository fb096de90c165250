"""Watch files for a task: what changed, told once, when it is asked for or waited for."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hermes.base.errors import InvalidArguments, ToolError
from hermes.base.optional import load
from hermes.services.files.disk import Disk
from hermes.services.files.globs import matcher

_MOST_WATCHES = 16
_MOST_EVENTS = 5_000
_MOST_TOLD = 500
_IGNORED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        "node_modules",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".cache",
        ".venv",
        ".tox",
    }
)
_OURS = (".hermes-unpack-", ".hermes-tmp")
_TOGETHER = {
    ("created", "modified"): "created",
    ("created", "deleted"): "",
    ("deleted", "created"): "modified",
    ("deleted", "modified"): "modified",
    ("modified", "created"): "modified",
}
"""What two events of one path are together; otherwise the later one."""


class Wish(NamedTuple):
    """What a watch is for."""

    path: str
    patterns: Sequence[str] = ()
    """Globs of paths below the watched folder; none means all but caches and the like."""


class Watch:
    """One watched folder or file, and what has happened there since somebody was last told."""

    def __init__(self, name: str, root: str, wish: Wish, is_folder: bool) -> None:
        self.name, self.root, self._is_folder = name, root, is_folder
        self._fits = _fitting(wish.patterns)
        self._events: dict[str, str] = {}
        self._dropped = 0
        self._is_gone = self._is_ended = False
        self._lock = threading.Lock()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self.end: Callable[[], None] = lambda: None

    def take(self, kind: str, path: str) -> None:
        """Note an event; called from any thread."""
        kind = "modified" if kind == "changed" else kind
        with self._lock:
            if kind == "overflow":
                self._dropped += 1
            elif path == self.root and kind == "deleted":
                self._is_gone = True
            elif not self._note(kind, path):
                return
            self._wake()

    def _note(self, kind: str, path: str) -> bool:
        inner = self._inner(path)
        if inner is None or not self._fits(inner):
            return False
        before = self._events.pop(inner, None)
        if before is None and len(self._events) >= _MOST_EVENTS:
            self._dropped += 1
            return True
        now = kind if before is None else _TOGETHER.get((before, kind), kind)
        if now:
            self._events[inner] = now
        return bool(now)

    def _inner(self, path: str) -> str | None:
        """Return a path from the watched folder on; None for the folder itself."""
        if not self._is_folder:
            return path.rpartition("/")[2] if path == self.root else None
        inner = path.removeprefix(f"{self.root.rstrip('/')}/")
        return None if inner == path else inner

    def _wake(self) -> None:
        for loop, event in self._waiting:
            with contextlib.suppress(RuntimeError):  # that loop is closed
                loop.call_soon_threadsafe(event.set)
        self._waiting.clear()

    def close(self) -> None:
        """End it."""
        self.end()
        with self._lock:
            self._is_ended = True
            self._wake()

    def told(self) -> dict[str, Any]:
        """Return what happened, which is not told again."""
        with self._lock:
            names = list(self._events)[:_MOST_TOLD]
            events = [{"type": self._events.pop(name), "path": _shown(name)} for name in names]
            answer: dict[str, Any] = {"watch_id": self.name, "events": events}
            if self._events:
                answer["more"] = len(self._events)
            if self._dropped:
                answer["dropped"] = self._dropped
                answer["note"] = "Events were lost; look at the folder itself."
            self._dropped = 0
            if self._is_gone:
                answer["gone"] = "What was watched was removed; the watch tells nothing more."
            return answer

    async def wait(self, seconds: float) -> bool:
        """Wait until there is something to tell; False when the time is up before."""
        event = asyncio.Event()
        with self._lock:
            if self._events or self._dropped or self._is_gone or self._is_ended:
                return True
            mine = (asyncio.get_running_loop(), event)
            self._waiting.append(mine)
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return False
        finally:
            with self._lock, contextlib.suppress(ValueError):
                self._waiting.remove(mine)
        return True


def _fitting(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return what says whether a path is worth telling."""
    named = {part for pattern in patterns for part in pattern.split("/")}
    ignored = _IGNORED - named
    fits = matcher(patterns or ("**",))

    def is_wanted(inner: str) -> bool:
        if not ignored.isdisjoint(inner.split("/")) or any(mark in inner for mark in _OURS):
            return False
        return fits(inner)

    return is_wanted


def _shown(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class Watches:
    """All watches of a runtime; each belongs to a task and ends with it."""

    def __init__(self) -> None:
        self._watches: dict[str, dict[str, Watch]] = {}
        self._lock = threading.Lock()
        self._count = 0

    def start(self, task_id: str, disk: Disk, wish: Wish) -> dict[str, Any]:
        """Begin to watch a folder or a file.

        Raises:
            ToolError: it cannot be watched, or the task has too many watches.
        """
        try:
            return self._start(task_id, disk, wish)
        except OSError as error:
            raise load("hermes.services.files.changing").said(error, wish.path) from error

    def _start(self, task_id: str, disk: Disk, wish: Wish) -> dict[str, Any]:
        found = disk.find(wish.path)
        with self._lock:
            mine = self._watches.setdefault(task_id, {})
            if len(mine) >= _MOST_WATCHES:
                raise ToolError(
                    f"this task watches {_MOST_WATCHES} places already",
                    code="too_many",
                    hint=f"Stop one of: {', '.join(mine)}.",
                )
            self._count += 1
            watch = Watch(f"watch-{self._count}", found.path, wish, found.kind == "folder")
            mine[watch.name] = watch
        try:
            watch.end = disk.watch(wish.path, watch.take)
        except BaseException:
            self._drop(task_id, watch.name)
            raise
        return {"watch_id": watch.name, "path": found.path}

    def find(self, task_id: str, name: str | None) -> Watch:
        """Return a watch of a task.

        Raises:
            ToolError: it has no such.
        """
        if not name:
            raise InvalidArguments("this action needs watch_id, as start has returned it")
        mine = self._watches.get(task_id, {})
        if name not in mine:
            known = f"There are: {', '.join(mine)}." if mine else "Begin with action=start."
            raise ToolError(f"this task has no watch {name!r}", code="not_found", hint=known)
        return mine[name]

    async def wait(self, watch: Watch, seconds: float) -> dict[str, Any]:
        """Wait for something to happen, and return it."""
        began = time.monotonic()
        if not await watch.wait(seconds):
            return {**watch.told(), "timed_out": True}
        return {**watch.told(), "waited_seconds": round(time.monotonic() - began, 3)}

    def stop(self, task_id: str, name: str | None) -> dict[str, Any]:
        """End a watch, and return what is left to tell."""
        watch = self.find(task_id, name)
        self._drop(task_id, watch.name)
        watch.close()
        return {**watch.told(), "stopped": True}

    def _drop(self, task_id: str, name: str) -> None:
        with self._lock:
            self._watches.get(task_id, {}).pop(name, None)

    def forget(self, task_id: str) -> None:
        """End the watches of a finished task."""
        with self._lock:
            ended = self._watches.pop(task_id, {})
        for watch in ended.values():
            watch.close()

    def close(self) -> None:
        """End all of them."""
        for task_id in list(self._watches):
            self.forget(task_id)
