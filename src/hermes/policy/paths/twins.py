"""Find the protected files that are the same object as a file with another name."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator

from hermes.policy.paths.machine_files import MACHINE
from hermes.policy.paths.objects import Seen, is_bundled, names_in
from hermes.policy.paths.places import Places, Verb
from hermes.policy.paths.program_secrets import PROGRAM_SECRETS
from hermes.policy.paths.secret_files import SECRETS

_MAGIC = frozenset("*?$")
_ROOTS: dict[Verb, tuple[str, ...]] = {
    "read": ("/etc/", "/var/", "/private/", "/library/", "/secrets", "/vault/"),
    "write": ("/etc/",),
}
_MOST_NAMES = 128
_MOST_HOMES = 16
_MOST_ENTRIES = 10_000
_DEEPEST = 2
_KEYS = (".ssh", ".aws", ".gnupg")
_SPELLED_SO = ("/etc/NetworkManager/system-connections", "~/.Xauthority", "~/Library/Keychains")
"""Folders that patterns, which are lower case, would not find."""


@functools.cache
def _listed(verb: Verb) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the protected names below a home and below the root that hold no pattern."""
    groups = (*SECRETS, *PROGRAM_SECRETS) if verb == "read" else MACHINE
    patterns = {each for group in groups for each in group.patterns}
    plain = sorted(each for each in (*patterns, *_SPELLED_SO) if _MAGIC.isdisjoint(each))
    homely = tuple(each[2:] for each in plain if each.startswith("~/"))
    return homely, tuple(each for each in plain if each.startswith(_ROOTS[verb]))


def twins_by_link(verb: Verb, seen: Seen, places: Places) -> list[str]:
    """Return the known files that are the same object as the one seen."""
    info = seen.info
    if info is None:
        return []
    wanted = (info.st_dev, info.st_ino)
    known = _candidates(verb, seen.real, places, info.st_dev)
    return [path for path in known if _is(path, wanted)]


def names_below(root: str, seen: Seen) -> list[str]:
    """Return the names that an object has below a folder, as far as a short search finds them."""
    if seen.info is None:
        return []
    wanted = (seen.info.st_dev, seen.info.st_ino)
    found: list[str] = []
    left = _MOST_ENTRIES
    folders, bundles = [root], list[str]()
    while left > 0 and len(found) < seen.info.st_nlink and (folders or bundles):
        folder = folders.pop() if folders else bundles.pop()
        for path, inode, is_folder in _entries(folder):
            left -= 1
            if is_folder:
                (bundles if is_bundled(path, root) else folders).append(path)
            elif inode == wanted[1] and _is(path, wanted):
                found.append(path)
    return found


def _entries(folder: str) -> list[tuple[str, int, bool]]:
    """Return path, number and kind of what lies in a folder; nothing when it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return [
                (each.path, each.inode(), each.is_dir(follow_symlinks=False)) for each in entries
            ]
    except OSError:
        return []


def _is(path: str, wanted: tuple[int, int]) -> bool:
    try:
        info = os.lstat(path)
    except OSError:
        return False
    return (info.st_dev, info.st_ino) == wanted


def _candidates(verb: Verb, real: str, places: Places, device: int) -> Iterator[str]:
    homely, rooted = _listed(verb)
    for start in (*(f"{places.home}/{name}" for name in homely), *rooted, places.state):
        yield from _files_at(start, device, _DEEPEST)
    homes = places.home.rpartition("/")[0] or "/"
    for user in names_in(homes)[:_MOST_HOMES]:
        for keys in _KEYS:
            yield from _files_at(f"{homes}/{user}/{keys}", device, 1)
    for root in places.workspace:
        for folder in (root, f"{root}/.git", f"{root}/.git/hooks", f"{root}/.github/workflows"):
            yield from (f"{folder}/{name}" for name in names_in(folder)[:_MOST_NAMES])
    beside = real.rpartition("/")[0]
    yield from (f"{beside}/{name}" for name in names_in(beside)[:_MOST_NAMES])


def _files_at(start: str, device: int, depth: int) -> Iterator[str]:
    """Return a file, or the files some levels below a folder of the same disk."""
    try:
        info = os.lstat(start)
    except OSError:
        return
    if info.st_dev != device:
        return
    yield start
    if depth and info.st_mode & 0o170000 == 0o040000:
        for name in names_in(start)[:_MOST_NAMES]:
            yield from _files_at(f"{start}/{name}", device, depth - 1)
