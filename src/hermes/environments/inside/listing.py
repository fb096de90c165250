"""List what is in a folder and below it: all is counted, and the part that is shown looked at."""

# Paths are strings here: they come from the kernel and go back to it.
# ruff: noqa: PTH115, PTH116
from __future__ import annotations

import os
import time
from collections import deque
from typing import Dict, Iterator, List, NamedTuple, Optional

from hermes.environments.inside.filework import kind_of
from hermes.environments.inside.globs import Fits, fitting


class Order(NamedTuple):
    """What is listed; goes over the wire as it is."""

    root: str
    depth: int = 1
    glob: str = ""
    hidden: bool = False
    sort: str = "name"
    """``name``, or ``size`` or ``modified`` with the largest first."""
    most: int = 200
    seconds: float = 30.0
    at: str = ""
    """Where the root is for the kernel, if it is called otherwise there."""


class Row(NamedTuple):
    """One entry that is shown."""

    path: str
    kind: str
    size: int
    modified: float
    target: str = ""
    left_out: int = 0
    """Of a folder: how many of its entries are not shown."""


class Tree(NamedTuple):
    """What there is, and the part of it that is shown: every folder before what is in it."""

    rows: List[Row]
    files: int
    """Everything that is no folder."""
    folders: int
    left_out: int
    """How many of the root's own entries are not shown."""
    is_complete: bool
    """Whether there was time to look at all."""


class _Folder:
    """The names in a folder."""

    __slots__ = ("below", "others")

    def __init__(self) -> None:
        self.below: List[str] = []
        self.others: List[str] = []

    def __len__(self) -> int:
        return len(self.below) + len(self.others)


def tree(order: Order) -> Tree:
    """Return what is below a folder, down to a depth.

    Raises:
        OSError: the folder itself cannot be read.
    """
    until = time.monotonic() + order.seconds
    found: Dict[str, _Folder] = {}
    is_complete = _gather(order, found, until)
    if order.glob:
        _prune(found)
    kept = _kept(order, found)
    rows = list(_rows(found, kept, ""))
    folders = sum(len(one.below) for one in found.values())
    files = sum(len(one.others) for one in found.values())
    return Tree(rows, files, folders, len(found[""]) - len(kept[""]), is_complete)


def _gather(order: Order, found: Dict[str, _Folder], until: float) -> bool:
    """Read folder after folder, level by level."""
    start = (order.at or order.root).rstrip("/") + "/"
    fits = fitting(order.glob) if order.glob else None
    level = [""]
    for _ in range(order.depth):
        below: List[str] = []
        for path in level:
            if path and time.monotonic() > until:
                return False
            try:
                folder = found[path] = _read(start + path, path, fits, hidden=order.hidden)
            except OSError:
                if not path:
                    raise
                continue  # it went, or is closed to us
            below += [f"{path}{name}/" for name in folder.below]
        level = below
    return True


def _read(place: str, path: str, fits: Optional[Fits], *, hidden: bool) -> _Folder:
    folder = _Folder()
    below, others = folder.below.append, folder.others.append
    with os.scandir(place) as listed:
        for entry in listed:
            name = entry.name
            if not hidden and name[0] == ".":
                continue
            if entry.is_dir(follow_symlinks=False):
                below(name)
            elif fits is None or fits(path + name):
                others(name)
    return folder


def _prune(found: Dict[str, _Folder]) -> None:
    """Drop the folders that nothing is in which is wanted."""
    for path, folder in reversed(list(found.items())):
        folder.below[:] = [name for name in folder.below if len(found.get(f"{path}{name}/", ""))]


def _kept(order: Order, found: Dict[str, _Folder]) -> Dict[str, List[Row]]:
    """Choose what is shown: what is nearer to the root comes first."""
    kept: Dict[str, List[Row]] = {}
    left, waiting = order.most, deque([""])
    while waiting:
        path = waiting.popleft()
        folder = found.get(path)
        if folder is None:
            continue
        rows = _sorted(order, path, folder, left)
        kept[path] = rows
        left -= len(rows)
        waiting.extend(f"{row.path}/" for row in rows if row.kind == "folder")
    return kept


def _sorted(order: Order, path: str, folder: _Folder, most: int) -> List[Row]:
    names = folder.below + folder.others
    if order.sort == "name":
        names = sorted(names)[:most]
    place = f"{(order.at or order.root).rstrip('/')}/{path}"
    rows = []
    for name in names:
        try:
            rows.append(_row(place + name, path + name))
        except OSError:  # it went while we looked
            continue
    if order.sort == "size":
        rows.sort(key=lambda row: (-row.size, row.path))
    elif order.sort == "modified":
        rows.sort(key=lambda row: (-row.modified, row.path))
    return rows[:most]


def _row(place: str, path: str) -> Row:
    facts = os.lstat(place)
    kind = kind_of(facts.st_mode)
    target = os.readlink(place) if kind == "link" else ""
    return Row(path, kind, facts.st_size if kind == "file" else 0, facts.st_mtime, target)


def _rows(found: Dict[str, _Folder], kept: Dict[str, List[Row]], path: str) -> Iterator[Row]:
    for row in kept[path]:
        inside = f"{row.path}/"
        if row.kind == "folder" and inside in kept:
            yield row._replace(left_out=len(found[inside]) - len(kept[inside]))
            yield from _rows(found, kept, inside)
        else:
            yield row
