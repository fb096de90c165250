"""Go through the files below a folder, without what is hidden, ignored or a link."""

# Paths are strings here: they come from the kernel and go back to it.
# ruff: noqa: PTH208
from __future__ import annotations

import os
from typing import Iterator, List, NamedTuple, Optional, Tuple

from hermes.environments.inside import ignores
from hermes.environments.inside.globs import Fits, fitting

Rules = Optional[ignores.Ignores]


class Scope(NamedTuple):
    """Which files are meant; goes over the wire as it is."""

    glob: str = ""
    """A pattern that paths must fit; after a ``!`` one that they must not."""
    hidden: bool = False
    ignored: bool = False
    """Whether files count that ``.gitignore`` names."""
    only: str = ""
    """The name of the one file that is meant, whatever else is said."""


class Walk:
    """One way through a tree; ``at`` is where its root is for the kernel."""

    def __init__(self, root: str, scope: Scope, at: str = "") -> None:
        self._root, self._at = root.rstrip("/") + "/", (at or root).rstrip("/") + "/"
        self._scope = scope
        self._fits = kept(scope.glob)

    def files(self) -> Iterator[str]:
        """Yield the relative paths of regular files, in no order."""
        if self._scope.only:
            yield self._scope.only
            return
        above = None if self._scope.ignored else ignores.inherited(self._root)
        left: List[Tuple[str, Rules]] = [("", above)]
        while left:
            folder, rules = left.pop()
            yield from self._look(folder, rules, left)

    def _look(self, folder: str, rules: Rules, left: List[Tuple[str, Rules]]) -> Iterator[str]:
        try:
            with os.scandir(self._at + folder) as listed:
                entries = {entry.name: entry for entry in listed}
        except OSError:  # it went, or is closed to us
            return
        if not self._scope.ignored:
            if folder and ".git" in entries:  # a repository in another is not ruled by that one
                rules = None
            if ".gitignore" in entries:
                rules = ignores.below(self._root + folder, rules, self._at + folder)
        for name, entry in entries.items():
            is_folder = entry.is_dir(follow_symlinks=False)
            path = folder + name
            if name == ".git" or not self._counts(path, name, rules, is_folder=is_folder):
                continue
            if is_folder:
                left.append((path + "/", rules))
            elif entry.is_file(follow_symlinks=False) and self._fits(path):
                yield path

    def _counts(self, path: str, name: str, rules: Rules, *, is_folder: bool) -> bool:
        word = rules.says(self._root + path, is_folder=is_folder) if rules is not None else None
        if word is not None:
            return not word
        return self._scope.hidden or not name.startswith(".")


def kept(glob: str) -> Fits:
    """Return what says whether a path fits a pattern, if there is one."""
    if not glob:
        return lambda _: True
    if glob.startswith("!"):
        fits = fitting(glob[1:])
        return lambda path: not fits(path)
    return fitting(glob)


def listed(root: str, scope: Scope, at: str = "") -> List[str]:
    """Return the relative paths of all files that are meant, sorted."""
    return sorted(Walk(root, scope, at).files())
