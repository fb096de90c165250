"""Leave out what may not be read, without judging every file of a tree anew."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator

from hermes.base.errors import Denied
from hermes.policy.paths import Places
from hermes.policy.paths.text import judge_text
from hermes.services.files import Work


class Withheld:
    """Say which files of a tree are shown, for one search.

    Where no rule of the profile looks at paths, a file whose name tells nothing is judged by its
    folder. Whatever the profile says, a search brings no credentials along: who wants to read them
    names the file.
    """

    def __init__(self, work: Work, root: str) -> None:
        self._check, self._root = work.caller.check_path, root.rstrip("/")
        self._is_local, self._judges_all = work.disk.is_local, work.caller.has_path_rules
        self._places = Places((work.caller.workspace,), work.disk.absolute("~"), "/nonexistent")
        self._folders: dict[str, bool] = {}

    def shown(self, paths: Collection[str], telling: Collection[str]) -> Iterator[str]:
        """Yield the files whose hits are shown; give also those whose names tell."""
        judged = frozenset(paths if self._judges_all else telling)
        for path in paths:
            if path in judged or self._has_other_names(path):
                if not self.hides(path):
                    yield path
            elif self._is_open(path):
                yield path

    def _is_open(self, path: str) -> bool:
        """Judge a file by its folder, and that by the first file in it."""
        folder = path.rpartition("/")[0]
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = not self.hides(path)
        return known

    def hides(self, path: str) -> bool:
        """Say whether a file is left out."""
        whole = f"{self._root}/{path}"
        try:
            self._check("read", whole)
        except Denied:
            return True
        return judge_text("read", whole, self._places, is_recursive=False) is not None

    def _has_other_names(self, path: str) -> bool:
        if not self._is_local:
            return False
        try:
            facts = os.lstat(f"{self._root}/{path}")
        except OSError:
            return True
        return facts.st_nlink > 1 or not stat.S_ISREG(facts.st_mode)
