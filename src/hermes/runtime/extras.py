"""Which extras of the distribution are installed.

Python's own way of asking, importlib.metadata, takes longer to load than a listing takes in all, so
the folders that packages lie in are read here, as long as they say what is asked.
"""

from __future__ import annotations

import functools
import os
import re
import sys

from hermes.base.optional import DISTRIBUTION, load

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
_REQUIRES = "Requires-Dist: "
_ENDING = ".dist-info"
Stamp = tuple[tuple[str, int], ...]


def installed(extra: str) -> bool:
    """Whether every package that an extra brings is there; an extra nobody knows is not."""
    return _installed(extra, _stamp())


def _stamp() -> Stamp:
    """Return the folders of packages with when they last changed."""
    found = []
    for folder in dict.fromkeys(sys.path):
        try:
            found.append((folder, os.stat(folder or os.curdir).st_mtime_ns))  # noqa: PTH116 - as below
        except OSError:
            continue
    return tuple(found)


@functools.lru_cache(maxsize=64)
def _installed(extra: str, stamp: Stamp) -> bool:
    wanted = list(_brought_by(extra, stamp))
    there = _packages(stamp)
    return bool(wanted) and all(_plain(name) in there for name in wanted)


def _brought_by(extra: str, stamp: Stamp) -> list[str]:
    found = []
    for requirement in _requirements(stamp):
        marker, name = _EXTRA.search(requirement), _NAME.match(requirement)
        if name and marker and marker.group(1) == extra:
            found.append(name.group())
    return found


@functools.lru_cache(maxsize=2)
def _packages(stamp: Stamp) -> dict[str, str]:
    """Return the packages that are installed, with the folder that is about each."""
    found: dict[str, str] = {}
    for folder, _ in stamp:
        try:
            names = os.listdir(folder or os.curdir)  # noqa: PTH208 - a start loads no pathlib
        except OSError:
            continue
        for name in names:
            if name.endswith(_ENDING):
                package = name.removesuffix(_ENDING).rpartition("-")[0]
                found.setdefault(_plain(package), f"{folder or os.curdir}/{name}")
    return found


@functools.lru_cache(maxsize=2)
def _requirements(stamp: Stamp) -> tuple[str, ...]:
    """Return what our own distribution says it requires."""
    about = _packages(stamp).get(_plain(DISTRIBUTION))
    if about is None:  # installed in another form
        return tuple(load("importlib.metadata").requires(DISTRIBUTION) or ())
    with open(f"{about}/METADATA", encoding="utf-8") as stream:  # noqa: PTH123 - as above
        head = stream.read().partition("\n\n")[0]
    lines = head.splitlines()
    return tuple(line.removeprefix(_REQUIRES) for line in lines if line.startswith(_REQUIRES))


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
