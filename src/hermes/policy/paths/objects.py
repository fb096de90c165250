"""Look at what a path really names, without opening it for reading and without waiting."""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import os
import os.path
import re
import stat
from typing import NamedTuple

from hermes.base.mounts import mount_of, other_names, read_mounts
from hermes.policy.paths.places import UNKNOWN, Places
from hermes.policy.paths.spelling import Spelled

_read_link = os.readlink  # a Path would cost as much as the whole judgement
_PATH_ONLY = getattr(os, "O_PATH", 0)
_MOST_MATCHES = 256
_LONGEST_NAME = 255
_FILE_NAME = re.compile(r"/[^/.][^/]*\.[A-Za-z0-9]{1,5}$")
_FILE = os.stat_result((stat.S_IFREG | 0o644, 0, 0, 1, 0, 0, 0, 0, 0, 0))
_BUNDLES = frozenset(
    [
        ".git",
        ".venv",
        "venv",
        "node_modules",
        "site-packages",
        "target",
        "build",
        "dist",
        ".tox",
        ".nox",
        ".cache",
        ".pnpm-store",
        ".yarn",
        "__pycache__",
        ".gradle",
        ".mypy_cache",
        ".ruff_cache",
        "bazel-out",
        "result",
    ]
)


class Seen(NamedTuple):
    """The object behind a path: where it really is, and what it is when it exists."""

    real: str
    info: os.stat_result | None = None
    mount: int | None = None
    """The mount it lies on, where that is known."""
    is_endless: bool = False
    """Its links go in circles, or on for longer than any kernel follows."""

    @property
    def kind(self) -> int:
        """The file type bits; 0 when there is nothing."""
        return stat.S_IFMT(self.info.st_mode) if self.info else 0


class Sight:
    """What one judgement sees: it looks at each object once, so that all its parts judge the same.

    Make one for every judgement: what is behind a path may be another thing the next time.
    """

    __slots__ = ("_mounts", "_seen")

    def __init__(self) -> None:
        self._seen: dict[tuple[str, bool], Seen] = {}
        self._mounts: dict[str, int | None] = {}

    def look(self, path: str, *, is_followed: bool) -> Seen:
        """Return the object behind an absolute path."""
        seen = self._seen.get((path, is_followed))
        if seen is None:
            seen = self._seen[path, is_followed] = look(path, is_followed=is_followed)
        return seen

    def twins_by_mount(self, seen: Seen, root: str | None) -> list[str]:
        """Return the other paths of what was seen, unless it lies on the same mount as a root."""
        if seen.mount is None:
            return []
        if root is not None:
            if root not in self._mounts:
                self._mounts[root] = mount_at(root)
            if self._mounts[root] == seen.mount:
                return []
        return other_names(seen.real, read_mounts())

    def real_places(self, places: Places) -> Places:
        """Return the places with all links in them followed."""
        return real_places(places)

    def is_sole(self, seen: Seen, root: str) -> bool:
        """Say whether a path is the one name of a file, or of nothing yet, on a root's mount."""
        if seen.mount is None or seen.is_endless:
            return False
        if seen.info is not None and (not stat.S_ISREG(seen.kind) or seen.info.st_nlink != 1):
            return False
        return not self.twins_by_mount(seen, root)


class Imagined(Exception):
    """More was asked about what is on the disk than is imagined."""


class Imagination(Sight):
    """Sees behind one path what most paths are: one file without any other name, or nothing yet."""

    __slots__ = ("_info", "_path")

    def __init__(self, path: str, *, is_there: bool) -> None:
        super().__init__()
        self._path = path
        self._info = _FILE if is_there else None

    def look(self, path: str, *, is_followed: bool) -> Seen:
        """Return the one object that is imagined.

        Raises:
            Imagined: it is about another path.
        """
        del is_followed
        if path != self._path:
            raise Imagined
        return Seen(path, self._info, 0)

    def twins_by_mount(self, seen: Seen, root: str | None) -> list[str]:
        """Return that there are none, as long as there is a root."""
        if root is None:
            raise Imagined
        del seen
        return []

    def real_places(self, places: Places) -> Places:
        """Refuse to say.

        Raises:
            Imagined: always.
        """
        del places
        raise Imagined


def look(path: str, *, is_followed: bool) -> Seen:
    """Return the object behind an absolute path; a link at its end is followed or is the object."""
    if not is_followed:
        return _look_at_link(path)
    if not _PATH_ONLY:
        real = _real(path)
        return Seen(real, _stat(real))
    try:
        return _opened(path)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return Seen(os.path.normpath(path), is_endless=True)
        return _look_at_nothing(path)


def _opened(path: str) -> Seen:
    descriptor = os.open(path, _PATH_ONLY | os.O_CLOEXEC)
    try:
        real = _read_link(f"/proc/self/fd/{descriptor}")
        info, mount = os.fstat(descriptor), mount_of(descriptor)
    finally:
        os.close(descriptor)
    return Seen(_own(real) if real.startswith("/") else path, info, mount)


def _own(real: str) -> str:
    """Return a path of this very process under the name that every process has for itself."""
    if not real.startswith("/proc/"):
        return real
    mine = f"/proc/{os.getpid()}/"
    return f"/proc/self/{real[len(mine) :]}" if real.startswith(mine) else real


def _look_at_nothing(path: str) -> Seen:
    """Return where something would come to be; a link that leads nowhere counts by its target."""
    folder, _, name = path.rpartition("/")
    if name not in {"", ".", ".."} and _stat(path) is None:
        with contextlib.suppress(OSError):
            above = _opened(folder or "/")
            return Seen(f"{above.real.rstrip('/')}/{name}", mount=above.mount)
    real = _real(path)
    return Seen(real, mount=mount_at(real.rpartition("/")[0] or "/"))


def _real(path: str) -> str:
    try:
        return _own(os.path.realpath(path))
    except (OSError, RecursionError):  # another process's link, or a race of links
        return os.path.normpath(path)


def _look_at_link(path: str) -> Seen:
    folder, _, name = path.rstrip("/").rpartition("/")
    if name in {"", ".", ".."}:
        return look(path, is_followed=True)
    above = look(folder or "/", is_followed=True)
    here = f"{above.real.rstrip('/')}/{name}"
    return Seen(here, _stat(here), above.mount)


def mount_at(path: str) -> int | None:
    """Return the mount that a path lies on, where that is known."""
    if not _PATH_ONLY:
        return None
    try:
        descriptor = os.open(path, _PATH_ONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return mount_of(descriptor)
    finally:
        os.close(descriptor)


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


def pattern_there(spelled: Spelled) -> str:
    """Return a pattern with the links in the folders before it followed."""
    names = spelled.path.split("/")[1:]
    known = next(at for at, name in enumerate(names) if _is_pattern(name))
    above = look("/" + "/".join(names[:known]), is_followed=True).real
    return os.path.normpath("/".join([above.rstrip("/"), *names[known:]]))


def matches(there: str) -> list[str]:
    """Return the paths on the disk that a glob names now.

    What is not known is no glob: it names one thing, and nobody can say which.
    """
    return [] if UNKNOWN in there else _matches(there.split("/")[1:])


def _matches(names: list[str]) -> list[str]:
    found = [""]
    for name in names:
        if _is_pattern(name):
            found = [path for folder in found for path in _fitting(folder, name)][:_MOST_MATCHES]
        else:
            found = [f"{folder}/{name}" for folder in found]
    return found


def _is_pattern(name: str) -> bool:
    return any(char in name for char in f"*?[{UNKNOWN}")


def _fitting(folder: str, pattern: str) -> list[str]:
    if len(pattern) > _LONGEST_NAME:
        return []
    pattern = pattern.replace("[^", "[!")
    fitting = fnmatch.filter(names_in(folder or "/"), pattern)
    return [f"{folder}/{name}" for name in sorted(fitting) if name[0] != "." or pattern[0] == "."]


def names_in(folder: str) -> list[str]:
    """Return the names in a folder; none when it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    except OSError:
        return []


def is_single(spelled: Spelled) -> bool:
    """Say whether a path names one file, or would if it existed, and no folder with content."""
    if spelled.is_pattern or spelled.is_folder:
        return False
    info = _stat(spelled.path)
    if info is not None:
        return not stat.S_ISDIR(info.st_mode)
    return _FILE_NAME.search(spelled.flat) is not None


def has_other_names(seen: Seen) -> bool:
    """Say whether a file can be reached by further names, as hard links give it."""
    info = seen.info
    return info is not None and info.st_nlink > 1 and stat.S_ISREG(info.st_mode)


def is_bundled(real: str, root: str) -> bool:
    """Say whether a path lies where, below a root, tools share files by hard links all the time."""
    return not _BUNDLES.isdisjoint(real[len(root) :].split("/"))


def real_places(places: Places) -> Places:
    """Return the places with all links in them followed."""
    return Places(
        tuple(map(_real, places.workspace)),
        _real(places.home),
        _real(places.state),
        tuple(map(_real, places.scratch)),
    )
