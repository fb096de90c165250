"""Keep protected names from being created while commands run.

An empty folder of that name is put there, bound read-only in the box, and taken away a moment after
the last command that needs it has ended: the next command may already wait in a box built around
it. Git does not see empty folders, and taking one away cannot lose anything: a folder with
something in it stays.

What stands there for us has the sticky bit, so that it is taken away later if hermes was killed. It
is locked by every hermes that needs it: another one does not take it away.
"""

# Paths are strings here: they are compared, and handed to the kernel.
# ruff: noqa: PTH112, PTH114, PTH119, PTH120
from __future__ import annotations

import contextlib
import fcntl
import os
import re
import stat
import threading
from collections import Counter
from functools import cache, lru_cache

from hermes.environments.sandbox import places
from hermes.environments.sandbox.box import Box
from hermes.environments.sandbox.inside import kernel

_OURS = stat.S_ISVTX
_COMMON = "/.git/commondir"
_FILES = {_COMMON: b".\n", "/.git/config.worktree": b""}
"""What git would not take as a folder: these say nothing but what is so without them."""
_FILE_NAMES = tuple(_FILES)
_OWN_TREE = re.compile(rb"^\s*(worktree\s*=|bare\s*=\s*true)", re.MULTILINE)
_TRIES, _LARGEST_CONFIG = 3, 1 << 20


class Keepers:
    """Count who needs which empty folder; one for all commands of a process."""

    def __init__(self, linger_seconds: float = 2.0) -> None:
        self._linger = linger_seconds
        self._lock = threading.Lock()
        self._needed: Counter[str] = Counter()
        self._made_by_us: set[str] = set()
        self._ways: dict[str, list[str]] = {}
        self._locks: dict[str, int] = {}
        self._timer: threading.Timer | None = None
        self._is_quiet = True

    def take(self, box: Box) -> tuple[str, ...]:
        """Put folders at the missing names of a box, and return those that must be given back."""
        with self._lock:
            self._is_quiet = False
            taken = [folder for path in _wanted(box) for folder in self._made(path)]
            self._made_by_us.update(taken)
            self._needed.update(taken)
        return tuple(taken)

    def give_back(self, taken: tuple[str, ...]) -> None:
        """Let folders be removed soon, unless another command needs them."""
        with self._lock:
            self._needed.subtract(taken)
            if self._made_by_us and self._timer is None:
                self._wait()

    def sweep(self) -> None:
        """Remove the folders that nobody needs now, innermost first."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None
            self._remove()

    def _wait(self) -> None:
        self._is_quiet = True
        self._timer = threading.Timer(self._linger, self._look)
        self._timer.daemon = True
        self._timer.start()

    def _look(self) -> None:
        """Remove what nobody has needed since the last look."""
        with self._lock:
            self._timer = None
            if self._is_quiet:
                self._remove()
            if self._made_by_us:
                self._wait()

    def _remove(self) -> None:
        self._ways.clear()
        for folder in sorted(self._made_by_us, reverse=True):
            if self._needed[folder] <= 0:
                del self._needed[folder]
                self._made_by_us.discard(folder)
                self._let_go(folder)

    def _let_go(self, folder: str) -> None:
        """Remove what nobody in any process needs; what is not empty stays."""
        lock = self._locks.pop(folder)
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _take_away(folder)
        os.close(lock)

    def _made(self, path: str) -> list[str]:
        """Make a folder and return every new or still needed one on the way to it."""
        if path in self._ways and os.access(path, os.F_OK, follow_symlinks=False):
            return self._ways[path]
        missing = []
        while path in self._made_by_us or not _is_theirs(path):
            missing.append(path)
            path = os.path.dirname(path)
        made = []
        for folder in reversed(missing):
            if not self._holds(folder):
                break  # not ours to write in, so nobody in the box can create it either
            made.append(folder)
        if made and len(made) == len(missing):
            self._ways[missing[0]] = made
        return made

    def _holds(self, folder: str) -> bool:
        """Make a folder that is missing and lock it; say whether it stands there for us."""
        for _ in range(_TRIES):
            try:
                if not os.path.lexists(folder):
                    _put(folder)
                lock = kernel.open_real(folder, os.O_RDONLY | os.O_NONBLOCK)
            except FileExistsError:
                continue
            except OSError:
                return False
            if _has_locked(lock, folder):
                if folder in self._locks:
                    os.close(self._locks[folder])
                self._locks[folder] = lock
                return True
            os.close(lock)
        return False


def _is_theirs(path: str) -> bool:
    """Say whether something is there that we did not put there, now or before we were killed."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return not mode & _OURS or not (stat.S_ISDIR(mode) or stat.S_ISREG(mode))


def _has_locked(lock: int, folder: str) -> bool:
    """Lock what is open; say whether it still stands at its name."""
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(lock), os.lstat(folder))
    except OSError:
        return False


def _text(path: str) -> bytes | None:
    """Return what a file says that stands for us, or None where a folder does."""
    return next((text for name, text in _FILES.items() if path.endswith(name)), None)


def _put(folder: str) -> None:
    """Put an empty folder, or git's file, at a name that no link leads to."""
    parent = kernel.open_real(os.path.dirname(folder), os.O_PATH | os.O_DIRECTORY)
    try:
        name = os.path.basename(folder)
        text = _text(folder)
        if text is None:
            os.mkdir(name, 0o755 | _OURS, dir_fd=parent)
            return
        how = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        fd = os.open(name, how, 0o644 | _OURS, dir_fd=parent)
        os.write(fd, text)
        os.close(fd)
    finally:
        os.close(parent)


def _take_away(folder: str) -> None:
    parent = kernel.open_real(os.path.dirname(folder), os.O_PATH | os.O_DIRECTORY)
    try:
        name = os.path.basename(folder)
        if _text(folder) is not None:
            os.unlink(name, dir_fd=parent)
        else:
            os.rmdir(name, dir_fd=parent)
    finally:
        os.close(parent)


def _wanted(box: Box) -> list[str]:
    """Return the names that may not be created, those of git only where there is a repository."""
    outside_git = [path for path in _obeyed_when_new(box) if "/.git/" not in path]
    roots = [root for root in box.writable if _is_repository(f"{root}/.git")]
    git = tuple(f"{root}/.git/" for root in roots)
    inside_git = [path for path in _obeyed_when_new(box) if path.startswith(git)]
    return outside_git + [path for path in inside_git if _can_stand(path)]


def _is_repository(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _can_stand(path: str) -> bool:
    """Say whether a name matters to git, and git is as before with our file there.

    It is not where its tree is set to another one.
    """
    if not path.endswith(_FILE_NAMES):
        return True
    config = f"{os.path.dirname(path)}/config"
    try:
        facts = os.lstat(config)
        settings = _settings(config, facts.st_ino, facts.st_mtime_ns)
    except OSError:
        return False
    if path.endswith(_COMMON):
        return not _OWN_TREE.search(settings)
    return b"worktreeconfig" in settings


@lru_cache(maxsize=16)
def _settings(path: str, _number: int, _changed: int) -> bytes:
    fd = kernel.open_real(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(fd, "rb") as config:
        return config.read(_LARGEST_CONFIG).lower()


@cache
def _obeyed_when_new(box: Box) -> tuple[str, ...]:
    names = [f"{root}/{name}" for root in box.writable for name in places.OBEYED_WHEN_NEW]
    return tuple(path for path in names if path in box.protected)
