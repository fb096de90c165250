"""Write files and trees for another machine: piece by piece, or here first and then sent whole."""

from __future__ import annotations

import contextlib
import os
import posixpath
import shutil
import tempfile
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any

from hermes.base.files import TEMPORARY
from hermes.environments.contract import Environment, Files
from hermes.services.files.disk import Check, Kind, Step
from hermes.services.files.leftovers import Leftovers
from hermes.services.files.merging import move_all, planned
from hermes.services.files.staging import PREFIX, LocalStage, staged
from hermes.services.files.trees import FOLDER

_PIECE = 1 << 20
_ABANDONED_SECONDS = 3_600
Ask = Callable[[Coroutine[Any, Any, Any]], Any]
"""Waits for something that is done there."""


class Upload:
    """A file there that is being written beside its place."""

    def __init__(self, files: Files, ask: Ask, path: str) -> None:
        self._files, self._ask, self._path = files, ask, path
        above, _, name = path.rpartition("/")
        self._beside = f"{above}/.{name[:100]}.{os.urandom(6).hex()}{TEMPORARY}"
        self._held = bytearray()

    def write(self, data: bytes) -> int:
        """Add bytes to its end; they are sent in pieces of some size."""
        self._held += data
        while len(self._held) >= _PIECE:
            self._send(_PIECE)
        return len(data)

    def _send(self, size: int) -> None:
        piece = bytes(self._held[:size])
        del self._held[:size]
        self._ask(self._files.write(self._beside, piece, append=True))

    def __enter__(self) -> Upload:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._send(_PIECE)
                self._ask(self._files.rename(self._beside, self._path))
                return
        except BaseException:
            self._forget()
            raise
        self._forget()

    def _forget(self) -> None:
        with contextlib.suppress(OSError):
            self._ask(self._files.remove(self._beside))


class RemoteStage:
    """A tree that is written here, sent to a hidden folder there, and moved in at the end."""

    def __init__(self, environment: Environment, ask: Ask, path: str, check: Check) -> None:
        self._environment, self._files, self._ask = environment, environment.files, ask
        self.path, self._check = path, check
        self._anchor, self._inner = self._nearest(path)
        self._hidden = posixpath.join(self._anchor, f"{PREFIX}{os.urandom(8).hex()}")
        self._local: LocalStage | None = None
        self._source = ""

    def _nearest(self, path: str) -> tuple[str, str]:
        """Return the nearest folder that is there, and what is missing below it."""
        missing: list[str] = []
        while (kind := self._kind(path)) is None:
            path, _, name = path.rpartition("/")
            path, missing = path or "/", [name, *missing]
        if kind != "folder":
            raise NotADirectoryError(20, os.strerror(20), path)
        return path, "/".join(missing)

    def _kind(self, path: str) -> Kind | None:
        try:
            kind: Kind = self._ask(self._files.stat(path)).kind
        except FileNotFoundError:
            return None
        return kind

    @contextlib.contextmanager
    def opened(self, leftovers: Leftovers) -> Iterator[None]:
        """Have a place for it on this machine, and nothing left there or here afterwards."""
        self._source = tempfile.mkdtemp(prefix="hermes-unpack-")
        try:
            anchor = os.open(self._source, FOLDER)
            with staged(anchor, "tree", leftovers, lambda *_, **__: None) as self._local:
                yield
        finally:
            shutil.rmtree(self._source, ignore_errors=True)
            with contextlib.suppress(OSError):
                self._ask(self._files.remove(self._hidden, recursive=True))

    @property
    def _here(self) -> LocalStage:
        assert self._local is not None, "the stage is not open"
        return self._local

    def folder(self, name: str, mode: int | None, modified_ns: int | None) -> None:
        """Make a folder."""
        self._check("write", f"{self.path}/{name}")
        self._here.folder(name, mode, modified_ns)

    def file(
        self, name: str, parts: Iterable[bytes], mode: int | None, modified_ns: int | None
    ) -> None:
        """Write a file."""
        self._check("write", f"{self.path}/{name}")
        self._here.file(name, parts, mode, modified_ns)

    def link(self, name: str, target: str) -> None:
        """Make a symbolic link."""
        self._check("write", f"{self.path}/{name}")
        self._here.link(name, target)

    def twin(self, name: str, other: str) -> None:
        """Give a file of this tree another name."""
        self._check("write", f"{self.path}/{name}")
        self._here.twin(name, other)

    def plan(self, *, overwrite: bool) -> list[Step]:
        """Send all of it, and return what has to be moved into its place there."""
        self._remove_abandoned()
        self._here.settle(self._here.plan(overwrite=False))
        top = posixpath.join(self._hidden, "new")
        self._ask(self._files.make_folder(posixpath.join(self._hidden, "old")))
        target = posixpath.join(top, self._inner)
        self._ask(self._files.make_folder(posixpath.dirname(target)))
        self._ask(self._environment.upload(f"{self._source}/tree", target))
        return planned(self, overwrite=overwrite)

    def _remove_abandoned(self) -> None:
        """Remove what was left there when the connection or this program went away."""
        self._ask(self._files.make_folder(self._hidden))
        now = self._ask(self._files.stat(self._hidden)).modified
        for one in self._ask(self._files.list(self._anchor)):
            is_old = now - one.modified > _ABANDONED_SECONDS
            if one.kind == "folder" and is_old and posixpath.basename(one.path).startswith(PREFIX):
                with contextlib.suppress(OSError):
                    self._ask(self._files.remove(one.path, recursive=True))

    def settle(self, steps: list[Step]) -> None:
        """Move all of it into its place, or nothing."""
        move_all(self, steps)

    def _at(self, side: str, name: str) -> str:
        return posixpath.join(self._hidden, side, name)

    def _kind_of(self, path: str) -> Kind | None:
        try:
            kind: Kind = self._ask(self._files.stat(path, follow=False)).kind
        except (FileNotFoundError, NotADirectoryError):
            return None
        return kind

    def kind_staged(self, name: str) -> Kind | None:
        """Return what the staged tree has under a name."""
        return self._kind_of(self._at("new", name))

    def kind_there(self, name: str) -> Kind | None:
        """Return what is in the place where that goes."""
        return self._kind_of(posixpath.join(self._anchor, name))

    def names(self, name: str) -> Sequence[str]:
        """Return the names in a staged folder."""
        found = self._ask(self._files.list(self._at("new", name).rstrip("/")))
        return [posixpath.basename(one.path) for one in found]

    def move(self, step: Step) -> None:
        """Move one thing into its place; what it replaces is kept."""
        there = posixpath.join(self._anchor, step.name)
        if step.replaces:
            kept = self._at("old", step.name)
            self._ask(self._files.make_folder(posixpath.dirname(kept)))
            self._ask(self._files.rename(there, kept))
        self._ask(self._files.rename(self._at("new", step.name), there))

    def take_back(self, step: Step) -> None:
        """Bring one thing back, and put what was kept into its place again."""
        there, mine = posixpath.join(self._anchor, step.name), self._at("new", step.name)
        if self._kind_of(mine) is None:
            self._ask(self._files.rename(there, mine))
        kept = self._at("old", step.name)
        if step.replaces and self._kind_of(kept) is not None:
            self._ask(self._files.rename(kept, there))
