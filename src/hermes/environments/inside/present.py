"""Know which files are there, so that one that is new is told from one that was replaced."""

# Paths are strings here: they come from the kernel.
# ruff: noqa: PTH118, PTH119, PTH120, PTH208
from __future__ import annotations

import os
from typing import Dict, Set

_MOST = 200_000


class Present:
    """The names in the folders below one, as far as they are not too many."""

    def __init__(self) -> None:
        self._names: Dict[str, Set[str]] = {}
        self._count = 0

    def look(self, top: str) -> None:
        """Note what is in a folder and below it; links are not followed."""
        left = [top]
        while left and self._count < _MOST:
            folder = left.pop()
            try:
                with os.scandir(folder) as found:
                    entries = list(found)
            except OSError:  # it went, or may not be read
                continue
            self._names[folder] = {one.name for one in entries}
            self._count += len(entries)
            left += [one.path for one in entries if one.is_dir(follow_symlinks=False)]

    def came(self, path: str) -> bool:
        """Note that something has got this name, and say whether something had it already."""
        folder, name = os.path.dirname(path), os.path.basename(path)
        names = self._names.setdefault(folder, set())
        was_there = name in names
        if not was_there and self._count < _MOST:
            names.add(name)
            self._count += 1
        return was_there

    def went(self, path: str) -> None:
        """Note that nothing has this name any more."""
        names = self._names.get(os.path.dirname(path), set())
        if os.path.basename(path) in names:
            names.discard(os.path.basename(path))
            self._count -= 1
        self._count -= len(self._names.pop(path, ()))
