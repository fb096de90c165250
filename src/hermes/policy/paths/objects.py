"""Look at what a path really names, without opening it for reading and without waiting."""

from __future__ import annotations

import fnmatch
import os
import os.path
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hermes.policy.paths.places import UNKNOWN, Places
from hermes.policy.paths.spelling import Spelled

_PATH_ONLY = getattr(os, "O_PATH", 0)
_MOST_MATCHES = 256
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

_HOME_FILES = [
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".gitconfig",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".vault-token",
    ".pgpass",
    ".my.cnf",
    ".bash_history",
    ".zsh_history",
    ".docker/config.json",
    ".kube/config",
    ".config/gh/hosts.yml",
    ".config/git/config",
    ".config/rclone/rclone.conf",
    ".config/pip/pip.conf",
    ".cargo/credentials.toml",
    ".claude.json",
]
_HOME_FOLDERS = (".ssh", ".aws", ".azure", ".config/gcloud", ".gnupg", ".local/bin", "bin")
_MACHINE_FILES = (
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/passwd",
    "/etc/ld.so.preload",
)
_MACHINE_FOLDERS = (
    "/etc/sudoers.d",
    "/etc/cron.d",
    "/etc/profile.d",
    "/etc/ssh",
    "/etc/ssl/private",
)


class Seen(NamedTuple):
    """The object behind a path: where it really is, and what it is when it exists."""

    real: str
    info: os.stat_result | None

    @property
    def kind(self) -> int:
        """The file type bits; 0 when there is nothing."""
        return stat.S_IFMT(self.info.st_mode) if self.info else 0


def look(path: str, *, is_followed: bool) -> Seen:
    """Return the object behind an absolute path; a link at its end is followed or is the object."""
    if not is_followed:
        return _look_at_link(path)
    if _PATH_ONLY:
        try:
            descriptor = os.open(path, _PATH_ONLY | os.O_CLOEXEC)
        except OSError:
            return Seen(os.path.realpath(path), None)
        try:
            real = str(Path(f"/proc/self/fd/{descriptor}").readlink())
            info = os.fstat(descriptor)
        except OSError:
            return Seen(os.path.realpath(path), None)
        finally:
            os.close(descriptor)
        return Seen(real if real.startswith("/") else path, info)
    real = os.path.realpath(path)
    return Seen(real, _stat(real))


def _look_at_link(path: str) -> Seen:
    folder, _, name = path.rstrip("/").rpartition("/")
    if name in {"", ".", ".."}:
        return look(path, is_followed=True)
    above = look(folder or "/", is_followed=True).real
    here = f"{above.rstrip('/')}/{name}"
    return Seen(here, _stat(here))


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


def matches(spelled: Spelled) -> Iterator[str]:
    """Yield what a pattern names on the disk now: at most a few hundred paths."""
    found = [""]
    for name in spelled.flat.split("/")[1:]:
        if _is_pattern(name):
            found = [path for folder in found for path in _fitting(folder, name)][:_MOST_MATCHES]
        else:
            found = [f"{folder}/{name}" for folder in found]
    yield from found


def _is_pattern(name: str) -> bool:
    return any(char in name for char in f"*?[{UNKNOWN}")


def _fitting(folder: str, pattern: str) -> list[str]:
    pattern = pattern.replace(UNKNOWN, "*").replace("[^", "[!")
    fitting = fnmatch.filter(_names_in(folder or "/"), pattern)
    return [f"{folder}/{name}" for name in sorted(fitting) if name[0] != "." or pattern[0] == "."]


def _names_in(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    except OSError:
        return []


def has_other_names(seen: Seen) -> bool:
    """Say whether a file can be reached by further names, as hard links give it."""
    info = seen.info
    return info is not None and info.st_nlink > 1 and stat.S_ISREG(info.st_mode)


def is_bundled(real: str) -> bool:
    """Say whether a path lies where tools share files by hard links as a matter of course."""
    return not _BUNDLES.isdisjoint(real.split("/"))


def protected_twin(seen: Seen, places: Places) -> str | None:
    """Return the path of a protected file that is the same object as the one seen."""
    info = seen.info
    if info is None:
        return None
    known = (f"{places.home}/{name}" for name in _HOME_FILES)
    folders = (
        *(f"{places.home}/{name}" for name in _HOME_FOLDERS),
        places.state,
        *_MACHINE_FOLDERS,
    )
    for path in (*known, *_MACHINE_FILES, *_files_in(folders)):
        other = _stat(path)
        if other and (other.st_ino, other.st_dev) == (info.st_ino, info.st_dev):
            return path if path != seen.real else None
    return None


def _files_in(folders: tuple[str, ...]) -> Iterator[str]:
    for folder in folders:
        yield from (f"{folder}/{name}" for name in _names_in(folder)[:_MOST_MATCHES])


def real_places(places: Places) -> Places:
    """Return the places with all links in them followed."""
    return Places(
        tuple(os.path.realpath(root) for root in places.workspace),
        os.path.realpath(places.home),
        os.path.realpath(places.state),
        tuple(os.path.realpath(root) for root in places.scratch),
    )
