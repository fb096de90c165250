"""Trees of files by descriptors: no link in them is followed, whoever puts one there."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Sequence

from hermes.services.files.descriptors import PATH_ONLY, found_from, stat_at
from hermes.services.files.disk import Kind
from hermes.services.files.merging import shown

FOLDER = PATH_ONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Opens a folder, and never one that a link leads to."""
_NO_WAY = (errno.ENOTDIR, errno.ELOOP)


class Tree:
    """A folder and what is below it; no link in it is followed."""

    def __init__(self, root: int) -> None:
        self.root = root
        self._last: tuple[str, int] | None = None

    def close(self) -> None:
        """Let go of it."""
        self._forget()
        os.close(self.root)

    def _forget(self) -> None:
        if self._last is not None:
            os.close(self._last[1])
            self._last = None

    def parent(self, path: str, *, makes: bool = False) -> tuple[int, str]:
        """Return the descriptor of the folder that a path is in, good until the next call.

        Raises:
            NotADirectoryError: it leads through a link or a file.
        """
        above, _, name = path.rpartition("/")
        if not above:
            return self.root, name
        if self._last is not None and self._last[0] == above:
            return self._last[1], name
        descriptor = self._walked(above, makes=makes)
        self._forget()
        self._last = (above, descriptor)
        return descriptor, name

    def _walked(self, path: str, *, makes: bool) -> int:
        at = os.dup(self.root)
        try:
            for name in path.split("/"):
                below = _entered(at, name, path, makes=makes)
                os.close(at)
                at = below
        except BaseException:
            os.close(at)
            raise
        return at

    def stat(self, path: str) -> os.stat_result | None:
        """Return what is known of a path; None when there is no such thing."""
        try:
            folder, name = self.parent(path)
        except FileNotFoundError:
            return None
        return stat_at(folder, name)

    def kind(self, path: str) -> Kind | None:
        """Return what is there."""
        facts = self.stat(path)
        return None if facts is None else found_from(path, facts).kind

    def names(self, path: str) -> Sequence[str]:
        """Return the names in a folder, sorted."""
        folder, name = self.parent(f"{path}/." if path else ".")
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        descriptor = os.open(name, flags, dir_fd=folder)
        try:
            return sorted(os.listdir(descriptor))  # noqa: PTH208 - of a descriptor
        finally:
            os.close(descriptor)


def _entered(folder: int, name: str, path: str, *, makes: bool) -> int:
    try:
        if makes:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=folder)
        return os.open(name, FOLDER, dir_fd=folder)
    except OSError as error:
        if error.errno not in _NO_WAY:
            raise
        text = "it leads through a link or a file"
        raise NotADirectoryError(errno.ENOTDIR, text, shown(path)) from None


def is_untouched(tree: Tree, name: str, identity: tuple[int, int], since_ns: int) -> bool:
    """Say whether something is the same file or folder still, with nothing changed in it since."""
    facts = tree.stat(name)
    if facts is None or (facts.st_ino, facts.st_mtime_ns) != identity:
        return False
    if not stat.S_ISDIR(facts.st_mode):
        return True
    for inner in tree.names(name):
        path = f"{name}/{inner}"
        found = tree.stat(path)
        if found is None or found.st_ctime_ns > since_ns:
            return False
        if stat.S_ISDIR(found.st_mode) and not is_untouched(
            tree, path, (found.st_ino, found.st_mtime_ns), since_ns
        ):
            return False
    return True
