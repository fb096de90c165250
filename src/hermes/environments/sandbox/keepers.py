"""Keep protected names from being created while commands run.

An empty folder of that name is put there, bound read-only in the box, and taken away when the last
command that needs it has ended. Git does not see empty folders, and taking one away cannot lose
anything: a folder with something in it stays.
"""

# Paths are strings here: they are compared, and handed to the kernel.
# ruff: noqa: PTH102, PTH106, PTH112, PTH120
from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter

from hermes.environments.sandbox import places
from hermes.environments.sandbox.box import Box


class Keepers:
    """Count who needs which empty folder; one for all commands of a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._needed: Counter[str] = Counter()

    def take(self, box: Box) -> tuple[str, ...]:
        """Put folders at the missing names of a box, and return those that must be given back."""
        wanted = [path for path in box.protected if _is_obeyed_when_new(path, box)]
        with self._lock:
            taken = [folder for path in wanted for folder in self._made(path)]
            self._needed.update(taken)
        return tuple(taken)

    def give_back(self, taken: tuple[str, ...]) -> None:
        """Remove the folders that nobody needs any more, innermost first."""
        with self._lock:
            self._needed.subtract(taken)
            for folder in sorted(taken, reverse=True):
                if self._needed[folder] <= 0:
                    del self._needed[folder]
                    with contextlib.suppress(OSError):
                        os.rmdir(folder)

    def _made(self, path: str) -> list[str]:
        """Make a folder and return every new or still needed one on the way to it."""
        missing = []
        while not os.path.lexists(path) or path in self._needed:
            missing.append(path)
            path = os.path.dirname(path)
        made = []
        for folder in reversed(missing):
            try:
                os.mkdir(folder)
            except FileExistsError:
                pass
            except OSError:
                break  # not ours to write in, so nobody in the box can create it either
            made.append(folder)
        return made


def _is_obeyed_when_new(path: str, box: Box) -> bool:
    for root in box.writable:
        for name in places.OBEYED_WHEN_NEW:
            if path == f"{root}/{name}":
                inside_git = name.startswith(".git/")
                return os.path.isdir(f"{root}/.git") if inside_git else True
    return False
