"""Keep protected names from being created while commands run.

An empty folder of that name is put there, bound read-only in the box, and taken away a moment after
the last command that needs it has ended: the next command may already wait in a box built around
it. Git does not see empty folders, and taking one away cannot lose anything: a folder with
something in it stays.
"""

# Paths are strings here: they are compared, and handed to the kernel.
# ruff: noqa: PTH102, PTH106, PTH112, PTH120
from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from functools import cache

from hermes.environments.sandbox import places
from hermes.environments.sandbox.box import Box


class Keepers:
    """Count who needs which empty folder; one for all commands of a process."""

    def __init__(self, linger_seconds: float = 2.0) -> None:
        self._linger = linger_seconds
        self._lock = threading.Lock()
        self._needed: Counter[str] = Counter()
        self._made_by_us: set[str] = set()
        self._ways: dict[str, list[str]] = {}
        self._timer: threading.Timer | None = None
        self._is_quiet = True

    def take(self, box: Box) -> tuple[str, ...]:
        """Put folders at the missing names of a box, and return those that must be given back."""
        with self._lock:
            self._is_quiet = False
            taken = [folder for path in _wanted(box) for folder in self._made(path)]
            self._made_by_us.update(taken)
            self._needed.update(taken)
        return tuple(taken)

    def give_back(self, taken: tuple[str, ...]) -> None:
        """Let folders be removed soon, unless another command needs them."""
        with self._lock:
            self._needed.subtract(taken)
            if self._made_by_us and self._timer is None:
                self._wait()

    def sweep(self) -> None:
        """Remove the folders that nobody needs now, innermost first."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None
            self._remove()

    def _wait(self) -> None:
        self._is_quiet = True
        self._timer = threading.Timer(self._linger, self._look)
        self._timer.daemon = True
        self._timer.start()

    def _look(self) -> None:
        """Remove what nobody has needed since the last look."""
        with self._lock:
            self._timer = None
            if self._is_quiet:
                self._remove()
            if self._made_by_us:
                self._wait()

    def _remove(self) -> None:
        self._ways.clear()
        for folder in sorted(self._made_by_us, reverse=True):
            if self._needed[folder] <= 0:
                del self._needed[folder]
                self._made_by_us.discard(folder)
                with contextlib.suppress(OSError):
                    os.rmdir(folder)

    def _made(self, path: str) -> list[str]:
        """Make a folder and return every new or still needed one on the way to it."""
        if path in self._ways and os.path.lexists(path):
            return self._ways[path]
        missing = []
        while not os.path.lexists(path) or path in self._made_by_us:
            missing.append(path)
            path = os.path.dirname(path)
        made = []
        for folder in reversed(missing):
            if not os.path.lexists(folder):
                try:
                    os.mkdir(folder)
                except OSError:
                    break  # not ours to write in, so nobody in the box can create it either
            made.append(folder)
        if made and len(made) == len(missing):
            self._ways[missing[0]] = made
        return made


def _wanted(box: Box) -> list[str]:
    """Return the names that may not be created, those of git only where there is a repository."""
    outside_git = [path for path in _obeyed_when_new(box) if "/.git/" not in path]
    roots = [root for root in box.writable if os.path.isdir(f"{root}/.git")]
    inside_git = [path for path in _obeyed_when_new(box) if path.startswith(tuple(_git(roots)))]
    return outside_git + inside_git


def _git(roots: list[str]) -> list[str]:
    return [f"{root}/.git/" for root in roots]


@cache
def _obeyed_when_new(box: Box) -> tuple[str, ...]:
    names = [f"{root}/{name}" for root in box.writable for name in places.OBEYED_WHEN_NEW]
    return tuple(path for path in names if path in box.protected)
