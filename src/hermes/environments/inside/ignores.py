"""What ``.gitignore`` files say of paths."""

# Paths are strings here: they come from the kernel and go back to it.
# ruff: noqa: PTH112, PTH123
from __future__ import annotations

import os
import re
from typing import List, NamedTuple, Optional, Pattern

from hermes.environments.inside.globs import translate

_LARGEST = 1 << 20


class _Rule(NamedTuple):
    pattern: Pattern[str]
    is_kept: bool
    folders_only: bool


class Ignores:
    """The rules of one folder, and of those above it."""

    def __init__(self, folder: str, rules: List[_Rule], above: Optional[Ignores]) -> None:
        self._folder, self._rules, self._above = folder, rules, above

    def says(self, path: str, *, is_folder: bool) -> Optional[bool]:
        """Say whether a path is ignored (True), kept by name (False), or not spoken of.

        The path begins as the folders did that the rules were found in.
        """
        level: Optional[Ignores] = self
        while level is not None:
            inner = path[len(level._folder) :]
            for rule in reversed(level._rules):
                if rule.folders_only and not is_folder:
                    continue
                if rule.pattern.fullmatch(inner):
                    return not rule.is_kept
            level = level._above
        return None


def inherited(root: str) -> Optional[Ignores]:
    """Return the rules that the folders above a root have for it, inside a repository."""
    folders = []
    folder = root.rstrip("/")
    while not os.path.lexists(f"{folder}/.git"):
        folder, slash, _ = folder.rpartition("/")
        if not slash:
            return None
        folders.append(folder)
    found: Optional[Ignores] = None
    for folder in reversed(folders):
        found = below(f"{folder}/", found)
    return found


def below(folder: str, above: Optional[Ignores], place: str = "") -> Optional[Ignores]:
    """Return the rules in a folder, which ends in a slash, on top of those above it.

    ``place`` is where the folder is for the kernel, if it is called otherwise there.
    """
    try:
        with open((place or folder) + ".gitignore", "rb") as file:
            data = file.read(_LARGEST)
    except OSError:
        return above
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    rules = []
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        rule = _rule(line[:-1] if line.endswith("\r") else line)
        if rule is not None:
            rules.append(rule)
    return Ignores(folder, rules, above) if rules else above


def _rule(line: str) -> Optional[_Rule]:
    if not line.endswith("\\ "):
        line = line.rstrip(" ")
    if not line or line.startswith("#"):
        return None
    is_kept = line.startswith("!")
    line = line[1:] if is_kept else line
    folders_only = line.endswith("/")
    line = line.rstrip("/") if folders_only else line
    if not line:
        return None
    is_anchored = "/" in line
    text = line[1:] if line.startswith("/") else line
    try:
        body = translate(text)
        if not is_anchored:
            body = "(?:.*/)?" + body
        return _Rule(re.compile(body, re.DOTALL), is_kept, folders_only)
    except (ValueError, re.error):
        return None  # git takes no notice of a pattern that it cannot read either
