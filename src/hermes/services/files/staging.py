"""Write a tree beside its place, by descriptors alone, and move it in at the end."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Sequence

from hermes.base.errors import ToolError
from hermes.base.files import TEMPORARY
from hermes.services.files.descriptors import real_path, stat_at, sync
from hermes.services.files.disk import Check, Kind, Step
from hermes.services.files.leftovers import Known, Leftovers, Record
from hermes.services.files.merging import move_all, planned, shown
from hermes.services.files.trees import FOLDER, Tree, is_untouched

PREFIX = ".hermes-unpack-"
"""How the names of folders begin that hold what is not in its place yet."""
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.EXDEV)


class LocalStage:
    """A tree that is being written in a hidden folder, in the folder it will be moved to."""

    def __init__(self, anchor: int, inner: str, record: Record, hidden: int, check: Check) -> None:
        self._anchor, self._inner, self._record, self._check = Tree(anchor), inner, record, check
        self._top = real_path(anchor)
        self.path = f"{self._top.rstrip('/')}/{inner}".rstrip("/")
        self._staged, self._kept = (_made(hidden, name) for name in ("new", "old"))
        self._folders: dict[str, tuple[int | None, int | None]] = {}
        if inner:
            self._staged.parent(f"{inner}/.", makes=True)

    def _placed(self, name: str) -> str:
        """Have a name judged, and return where it is staged."""
        self._check("write", f"{self.path}/{name}")
        return f"{self._inner}/{name}" if self._inner else name

    def folder(self, name: str, mode: int | None, modified_ns: int | None) -> None:
        """Make a folder; its mode and time are set when all is in it."""
        path = self._placed(name)
        self._staged.parent(f"{path}/.", makes=True)
        self._folders[path] = (mode, modified_ns)

    def file(
        self, name: str, parts: Iterable[bytes], mode: int | None, modified_ns: int | None
    ) -> None:
        """Write a file; one of the same name is replaced."""
        folder, last = self._free(self._placed(name))
        descriptor = os.open(last, _NEW_FILE, 0o666, dir_fd=folder)
        try:
            for part in parts:
                left = memoryview(part)
                while left:
                    left = left[os.write(descriptor, left) :]
            if mode is not None:
                os.fchmod(descriptor, mode & 0o777)
            if modified_ns is not None:
                os.utime(descriptor, ns=(modified_ns, modified_ns))
        finally:
            os.close(descriptor)

    def link(self, name: str, target: str) -> None:
        """Make a symbolic link."""
        folder, last = self._free(self._placed(name))
        os.symlink(target, last, dir_fd=folder)

    def twin(self, name: str, other: str) -> None:
        """Give a file of this tree another name."""
        source = f"{self._inner}/{other}" if self._inner else other
        facts = self._staged.stat(source)
        if facts is None or not stat.S_ISREG(facts.st_mode):
            raise OSError(errno.ENOENT, "there is no such file in the archive", shown(other))
        place = self._placed(name)
        if place == source:
            return
        at, first = self._staged.parent(source)
        at = os.dup(at)
        try:
            folder, last = self._free(place)
            os.link(first, last, src_dir_fd=at, dst_dir_fd=folder, follow_symlinks=False)
        finally:
            os.close(at)

    def _free(self, path: str) -> tuple[int, str]:
        """Return where a name can be made; what has it already goes.

        Raises:
            ToolError: it is a folder already, or has another spelling that counts as the same here.
        """
        folder, name = self._staged.parent(path, makes=True)
        facts = stat_at(folder, name)
        if facts is None:
            return folder, name
        if stat.S_ISDIR(facts.st_mode):
            raise ToolError(
                f"{shown(path)} is both a folder and a file in the archive; nothing was unpacked",
                code="unsafe_archive",
            )
        if name not in self._staged.names(path.rpartition("/")[0]):
            raise ToolError(
                f"{shown(path)} differs from another name in the archive only by its case or "
                "accents, which count as the same on this disk; nothing was unpacked",
                code="unsafe_archive",
            )
        folder, name = self._staged.parent(path)
        os.unlink(name, dir_fd=folder)
        return folder, name

    def plan(self, *, overwrite: bool) -> list[Step]:
        """Return what has to be moved into its place."""
        for path, (mode, modified_ns) in sorted(self._folders.items(), reverse=True):
            folder, name = self._staged.parent(path)
            if mode is not None:  # whoever unpacks must be able to remove it again
                os.chmod(name, mode & 0o777 | 0o700, dir_fd=folder)
            if modified_ns is not None:
                os.utime(name, ns=(modified_ns, modified_ns), dir_fd=folder, follow_symlinks=False)
        return planned(self, overwrite=overwrite)

    def settle(self, steps: list[Step]) -> None:
        """Move all of it into its place, or nothing."""
        if real_path(self._anchor.root) != self._top:
            raise OSError(errno.ESTALE, "the folder was moved meanwhile", self._top)
        moves = [(step.name, step.replaces, *self._identity(step.name)) for step in steps]
        if len(moves) > 1:  # a single move cannot be cut in two
            self._record.add({"moves": moves, "at": time.time_ns()})
        move_all(self, steps)
        sync(self._anchor.root)
        if len(moves) > 1:  # from here on nothing is taken back: what was kept goes now
            self._record.add({"moves": [], "at": 0})

    def _identity(self, name: str) -> tuple[int, int]:
        facts = self._staged.stat(name)
        return (0, 0) if facts is None else (facts.st_ino, facts.st_mtime_ns)

    def kind_staged(self, name: str) -> Kind | None:
        """Return what the staged tree has under a name."""
        return self._staged.kind(name)

    def kind_there(self, name: str) -> Kind | None:
        """Return what is in the place where that goes."""
        return self._anchor.kind(name)

    def names(self, name: str) -> Sequence[str]:
        """Return the names in a staged folder."""
        return self._staged.names(name)

    def move(self, step: Step) -> None:
        """Move one thing into its place; what it replaces is kept."""
        source, name = self._staged.parent(step.name)
        target, _ = self._anchor.parent(step.name)
        if step.replaces:
            kept, _ = self._kept.parent(step.name, makes=True)
            _linked(name, target, kept)
            os.replace(name, name, src_dir_fd=source, dst_dir_fd=target)
        elif self._staged.kind(step.name) == "folder":
            os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
        else:
            _moved(name, source, target)

    def take_back(self, step: Step) -> None:
        """Bring one thing back, and put what was kept into its place again."""
        there, name = self._anchor.parent(step.name)
        if step.replaces:
            if self._kept.kind(step.name) is not None:
                kept, _ = self._kept.parent(step.name)
                os.replace(name, name, src_dir_fd=kept, dst_dir_fd=there)
            return
        mine, moved = self._staged.stat(step.name), self._anchor.stat(step.name)
        if mine is None:
            target, _ = self._staged.parent(step.name, makes=True)
            os.rename(name, name, src_dir_fd=there, dst_dir_fd=target)
        elif moved is not None and moved.st_ino == mine.st_ino:  # it has both names for a moment
            os.unlink(name, dir_fd=there)

    def recover(self, known: Known) -> None:
        """Take back what was moved, as far as nobody has touched it since."""
        for name, replaces, inode, modified_ns in reversed(known.moves):
            with contextlib.suppress(OSError):
                if self._staged.kind(name) is not None or is_untouched(
                    self._anchor, name, (inode, modified_ns), known.moved_ns
                ):
                    self.take_back(Step(name, replaces))

    def close(self) -> None:
        """Let go of the descriptors."""
        for tree in (self._anchor, self._staged, self._kept):
            tree.close()


def _made(hidden: int, name: str) -> Tree:
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=hidden)
    return Tree(os.open(name, FOLDER, dir_fd=hidden))


def _linked(name: str, source: int, target: int) -> None:
    """Give a file a second name in another folder; where there are no such, move it."""
    try:
        os.link(name, name, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)


def _moved(name: str, source: int, target: int) -> None:
    """Move a file to where nothing has its name; what has come there meanwhile stays."""
    try:
        os.link(name, name, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if stat_at(target, name) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), shown(name)) from None
        os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
    else:
        os.unlink(name, dir_fd=source)


@contextlib.contextmanager
def staged(anchor: int, inner: str, leftovers: Leftovers, check: Check) -> Iterator[LocalStage]:
    """Give a stage in a folder, for what goes to a path below it; the descriptor is taken over."""
    name = f"{PREFIX}{os.urandom(8).hex()}"
    try:
        facts, top = os.fstat(anchor), real_path(anchor)
        check("write", f"{top.rstrip('/')}/{inner or name}")
        with leftovers.record(top, facts, name) as record:
            try:
                hidden = _hidden(anchor, name, top)
                try:
                    stage = LocalStage(os.dup(anchor), inner, record, hidden, check)
                finally:
                    os.close(hidden)
                with contextlib.closing(stage):
                    yield stage
            finally:
                _remove(name, anchor)
    finally:
        os.close(anchor)


def _hidden(anchor: int, name: str, top: str) -> int:
    """Make the hidden folder and open it; what fails names the folder that people know."""
    try:
        os.mkdir(name, 0o700, dir_fd=anchor)
        return os.open(name, FOLDER, dir_fd=anchor)
    except OSError as error:
        error.filename = top
        raise


def _remove(name: str, folder: int) -> None:
    shutil.rmtree(name, ignore_errors=True, dir_fd=folder)


def recover(known: Known) -> None:
    """Undo what a process that was killed had begun, as far as nobody has touched it since."""
    if not _is_ours(known.name):
        return
    try:
        anchor = os.open(known.anchor, FOLDER)
    except OSError:  # so nothing is left of it
        return
    try:
        facts = os.fstat(anchor)
        if (facts.st_dev, facts.st_ino) != (known.device, known.inode):
            return
        there = stat_at(anchor, known.name)
        if there is None:
            return
        if not stat.S_ISDIR(there.st_mode):
            os.unlink(known.name, dir_fd=anchor)
            return
        _take_back(anchor, known)
        _remove(known.name, anchor)
    finally:
        os.close(anchor)


def _is_ours(name: str) -> bool:
    return "/" not in name and (name.startswith(PREFIX) or name.endswith(TEMPORARY))


def _take_back(anchor: int, known: Known) -> None:
    if not known.moves:
        return
    hidden = os.open(known.name, FOLDER, dir_fd=anchor)
    try:
        stage = LocalStage(os.dup(anchor), "", Record(None), hidden, lambda *_, **__: None)
    finally:
        os.close(hidden)
    with contextlib.closing(stage):
        stage.recover(known)
