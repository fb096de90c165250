"""Find the group of protected paths that a path belongs to."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hermes.policy.paths.groups import Group

Parts = Sequence[str]
"""A path's names from the root down, in the one spelling that patterns are written in."""

_MAGIC = frozenset("*?")


class Rule(NamedTuple):
    """One pattern, taken apart."""

    parts: tuple[str, ...]
    is_end: bool
    group: Group

    def covers(self, names: Parts, start: int = 0) -> bool:
        """Say whether the names from start on are this pattern, or lie below it."""
        left = len(names) - start
        if left < len(self.parts) or (self.is_end and left != len(self.parts)):
            return False
        return all(overlaps(part, names[start + at]) for at, part in enumerate(self.parts))


class Rules:
    """Patterns sorted by their first part, so that a plain path is compared with few of them."""

    def __init__(self, groups: Iterable[Group]) -> None:
        self._home: dict[str, list[Rule]] = {}
        self._root: dict[str, list[Rule]] = {}
        self._loose: dict[str, list[Rule]] = {}
        self._endings: dict[str, list[Rule]] = {}
        self._wild: list[Rule] = []
        for group in groups:
            for pattern in group.patterns:
                self._add(pattern, group)
        parts = "|".join(fnmatch.translate(rule.parts[0]) for rule in self._wild)
        self._is_wild = re.compile(parts or r"(?!)").match

    def _add(self, pattern: str, group: Group) -> None:
        body = pattern.removesuffix("$")
        is_end = body != pattern
        if body.startswith(("~/", "/")):
            parts = tuple(body.partition("/")[2].split("/"))
            table = self._home if body[0] == "~" else self._root
            table.setdefault(parts[0], []).append(Rule(parts, is_end, group))
            return
        rule = Rule(tuple(body.split("/")), is_end, group)
        first = rule.parts[0]
        if first.startswith("*.") and _MAGIC.isdisjoint(first[2:]) and "." not in first[2:]:
            self._endings.setdefault(first[2:], []).append(rule)
        elif not _MAGIC.isdisjoint(first):
            self._wild.append(rule)
        else:
            self._loose.setdefault(first, []).append(rule)

    def find(self, names: Parts, below_home: Parts | None) -> Group | None:
        """Return the group that covers a path; give also its names below a home, if it is there."""
        return self.find_anchored(names, below_home) or self.find_loose(names)

    def find_anchored(self, names: Parts, below_home: Parts | None) -> Group | None:
        """Return the group that covers a path by where it lies, at a home or at the root."""
        for table, where in ((self._home, below_home), (self._root, names)):
            if not where:
                continue
            if _is_plain(where):
                found = _first(table.get(where[0], ()), where)
            else:
                found = _find_overlap(table, where)
            if found is not None:
                return found
        return None

    def find_loose(self, names: Parts) -> Group | None:
        """Return the group that covers a path by its names, wherever it lies."""
        if _is_plain(names):
            return self._find_plain(names)
        # a leading star would overlap with every ending: what it matches is looked up on the disk
        likely = [_plain(name) if name[:1] in _MAGIC else name for name in names]
        if found := self._find_plain(likely):
            return found
        for at, name in enumerate(likely):
            if not _MAGIC.isdisjoint(name) and (found := _find_overlap(self._loose, likely[at:])):
                return found
        return None

    def holds(self, names: Parts, below_home: Parts | None) -> bool:
        """Say whether all that a path can name is covered; a star counts as one odd name."""
        plain = [_plain(name) for name in names]
        at_home = None if below_home is None else [_plain(name) for name in below_home]
        return self.find(plain, at_home) is not None

    def _find_plain(self, names: Parts) -> Group | None:
        loose = self._loose
        for at, name in enumerate(names):
            if name in loose and (found := _first(loose[name], names, at)):
                return found
        if not names:
            return None
        last = len(names) - 1
        found = _first(self._endings.get(names[last].rpartition(".")[2], ()), names, last)
        if found is None and self._is_wild(names[last]):
            found = _first(self._wild, names, last)
        return found


def _is_plain(names: Parts) -> bool:
    return all(map(_MAGIC.isdisjoint, names))


def _first(rules: Iterable[Rule], names: Parts, start: int = 0) -> Group | None:
    for rule in rules:
        if rule.covers(names, start):
            return rule.group
    return None


def _find_overlap(table: dict[str, list[Rule]], names: Parts) -> Group | None:
    if names[-1] == "*":
        names = [*names[:-1], "x"]
    for first, listed in table.items():
        if overlaps(first, names[0]) and (found := _first(listed, names)):
            return found
    return None


def _plain(name: str) -> str:
    return name.replace("*", "x").replace("?", "x")


def overlaps(pattern: str, name: str) -> bool:
    """Say whether some name fits both: name may be a pattern of the shell too."""
    if pattern == name:
        return True
    if _MAGIC.isdisjoint(name):
        return not _MAGIC.isdisjoint(pattern) and fnmatch.fnmatchcase(name, pattern)
    if pattern[:1] == "." and name[:1] in _MAGIC:
        return False  # the shell's star matches no leading dot
    return _meet(pattern, name)


def _meet(one: str, other: str) -> bool:
    """Say whether two patterns of ``*`` and ``?`` have a text in common."""
    row = [True]
    for char in other:
        row.append(row[-1] and char == "*")
    for mine in one:
        above, row = row, [row[0] and mine == "*"]
        for at, char in enumerate(other):
            if mine == "*" or char == "*":
                row.append(above[at + 1] or row[at])
            else:
                row.append(above[at] and (mine == char or mine == "?" or char == "?"))
    return row[-1]
