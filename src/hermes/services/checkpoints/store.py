"""The store of one home: notes of what just happened, contents, and the list of checkpoints."""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import mmap
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from hermes.base.errors import HermesError
from hermes.base.files import is_abandoned, private_folder
from hermes.services.checkpoints.blobs import Blobs, digest_of
from hermes.services.checkpoints.index import Index
from hermes.services.checkpoints.model import (
    UNNAMED,
    Checkpoint,
    Status,
    checkpoint_from,
    entries_from,
    named,
)
from hermes.services.checkpoints.notes import ENDING, NoRoom, Note, Notes, mapped, parse
from hermes.services.checkpoints.recovery import report, settle
from hermes.services.checkpoints.scans import Scans

log = logging.getLogger(__name__)

LARGEST_NOTED = 2 << 20
_MOST_ENTRIES = 1_000
_SMALL = 4 << 10
_WAIT_SECONDS = 30.0
_TRIES = 5
_MOMENT_NS = 1_000_000_000


class Pending(NamedTuple):
    """A checkpoint that is only in the notes yet."""

    checkpoint: Checkpoint
    digests: list[str]
    note: Note

    def named(self, contents: Iterable[bytes]) -> Pending:
        """Return it with the digests of the contents that were noted in haste."""
        if not any(name.startswith(UNNAMED) for name in self.digests):
            return self
        names = {
            name: digest_of(content)
            for name, content in zip(self.digests, contents, strict=False)
            if name.startswith(UNNAMED)
        }
        digests = [names.get(name, name) for name in self.digests]
        return Pending(named(self.checkpoint, names), digests, self.note)


class Store:
    """Keep checkpoints in one folder; any thread and any process may."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.blobs = Blobs(folder / "blobs")
        self.index = Index(folder / "checkpoints.db")
        self.scans = Scans(folder / "scans")
        self._open = folder / "open"
        self._restart()

    def _restart(self) -> None:
        """Begin without any state: at first, and in a child that was forked."""
        self._process = os.getpid()
        self._notes: Notes | None = None
        self._alone_since: int | None = None
        self._begun: dict[str, Pending] = {}
        self._ended: list[Pending] = []
        self._lock = threading.Condition()
        self._moving = threading.Lock()

    def begin(self, checkpoint: Checkpoint, contents: Mapping[str, bytes] | None = None) -> str:
        """Write down a checkpoint with the contents that are not in the store yet.

        A kill cannot lose it from now on; `secure` waits until a power cut cannot either.

        Raises:
            OSError: the disk cannot take it.
            HermesError: the store cannot.
        """
        if self._process != os.getpid():
            inherited = self._notes
            self._restart()
            if inherited is not None:
                inherited.close()
        noted: dict[str, bytes] = {}
        for digest, content in (contents or {}).items():
            if len(content) > LARGEST_NOTED:
                self.blobs.put(content, digest)
            elif (
                digest.startswith(UNNAMED)
                or len(content) <= _SMALL  # noting it costs less than looking for it
                or not self.blobs.claim(digest)
            ):
                noted[digest] = content
        self._add(self.slim(checkpoint), noted)
        return checkpoint.id

    def secure(self, name: str) -> None:
        """Wait until a checkpoint that was begun survives a power cut.

        Raises:
            OSError: the disk cannot take it.
        """
        with self._lock:
            notes = self._notes if name in self._begun else None
        if notes is not None:
            notes.sync()

    def _add(self, checkpoint: Checkpoint, noted: dict[str, bytes]) -> None:
        for left in reversed(range(_TRIES)):
            with self._lock:
                notes = self._held()
                try:
                    value = ["begin", checkpoint, list(noted)]
                    note = notes.add(value, list(noted.values()))
                    self._begun[checkpoint.id] = Pending(checkpoint, list(noted), note)
                    return
                except NoRoom:
                    self._lock.wait_for(lambda: not self._begun, _WAIT_SECONDS)
            self.move()
            if left == 1:
                names = {name: digest_of(content) for name, content in noted.items()}
                for name, content in noted.items():
                    self.blobs.put(content, names[name])
                checkpoint = named(checkpoint, names)
                noted.clear()
        raise OSError("too much is being changed at once")

    def give_up(self, name: str) -> bool:
        """End a checkpoint whose change failed: what is left of it is taken back.

        When even that fails, it stays begun, and the next start tries again.
        """
        with self._lock:
            pending = self._begun.get(name)
        if pending is None:
            return False
        try:
            whole = self.whole(self._named(pending).checkpoint)
            self.bring(whole.digests)
            return self.end(name, settle(whole, self.blobs).status)
        except (OSError, HermesError) as error:
            log.error("checkpoints: %s could not be taken back now: %s", name, error)
            return False

    def end(self, name: str, status: Status) -> bool:
        """Note how a checkpoint ended; return whether it is time to move notes to the store.

        This is kept and not waited for: what is lost of it in a power cut, the files tell.
        """
        with self._lock:
            pending = self._begun.pop(name, None)
            if pending is None or self._notes is None:
                return False
            ended = pending.checkpoint._replace(status=status)
            self._ended.append(pending._replace(checkpoint=ended))
            try:
                self._notes.add(["end", name, status, []])
            except (NoRoom, OSError) as error:
                log.warning("checkpoints: the end of %s was not noted: %r", name, error)
            self._lock.notify_all()
            return self._notes.is_filling

    def move(self) -> None:
        """Move what ended from the notes to the store, and use their room again."""
        with self._moving:
            with self._lock:
                notes, ended = self._notes, list(self._ended)
            if notes is None or not ended:
                return
            self._keep(notes, ended)
            with self._lock:
                del self._ended[: len(ended)]
                if not self._begun and not self._ended:
                    notes.clear()

    def _keep(self, notes: Notes, ended: Iterable[Pending]) -> None:
        """Have contents and checkpoints in the store, durably."""
        done = []
        with self.blobs.batch() as batch:
            for one in ended:
                if _is_kept(one.checkpoint):
                    contents = notes.contents(one.note)
                    known = one.named(contents)
                    done.append(known.checkpoint)
                    for digest, content in zip(known.digests, contents, strict=False):
                        if not self.blobs.claim(digest):
                            batch.add(digest, [content])
        self.index.save(done)

    def _named(self, pending: Pending) -> Pending:
        with self._lock:
            assert self._notes is not None
            return pending.named(self._notes.contents(pending.note))

    def slim(self, checkpoint: Checkpoint) -> Checkpoint:
        """Return a checkpoint whose entries, if they are many, are a content of their own."""
        if len(checkpoint.entries) <= _MOST_ENTRIES:
            return checkpoint
        data = json.dumps(checkpoint.entries).encode()
        digest = digest_of(data)
        self.blobs.put(data, digest)
        return checkpoint._replace(entries=(), packed=digest)

    def whole(self, checkpoint: Checkpoint) -> Checkpoint:
        """Return a checkpoint with all its entries.

        Raises:
            Lost: they are not kept any more.
        """
        if not checkpoint.packed:
            return checkpoint
        entries = entries_from(json.loads(self.blobs.read(checkpoint.packed)))
        return checkpoint._replace(entries=entries)

    def needs(self, checkpoint: Checkpoint) -> set[str]:
        """Return the contents without which a checkpoint cannot be undone."""
        try:
            found = self.whole(checkpoint).digests
            if checkpoint.tree:
                tree = json.loads(self.blobs.read(checkpoint.tree))
                found |= {digest for kind, digest, *_ in tree.values() if kind == "file"}
        except (HermesError, ValueError):  # lost: nothing is needed for it any more
            return checkpoint.digests
        return found

    @contextlib.contextmanager
    def using(self, *, alone: bool = False) -> Iterator[None]:
        """Keep contents from being pruned meanwhile; or prune, when nobody relies on them."""
        private_folder(self.folder)
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield
        finally:
            os.close(descriptor)

    def recover(self) -> None:
        """Finish what dead processes began."""
        with self._lock:
            self.blobs.sweep()
            if self._open.is_dir():
                self._take_over()

    def all(self) -> list[Checkpoint]:
        """Return every checkpoint that ended, newest first, those of running processes too."""
        self.recover()
        for path in self._files():
            with contextlib.suppress(FileNotFoundError):
                self._copy(path)
        return self.index.all()

    def _copy(self, path: Path) -> None:
        """Have in the list what a process has noted, whose notes go on meanwhile."""
        with _opened(path) as descriptor:
            data = mapped(descriptor)
            _, ended = _sorted(parse(data).notes)
        kept = [one for one in ended if _is_kept(one.checkpoint)]
        done = [one.named(_contents(data, one.note)).checkpoint for one in kept]
        self.index.save(done, is_final=False)

    def bring(self, digests: Iterable[str]) -> None:
        """Have contents in the store that are perhaps only in the notes of some process yet."""
        missing = {digest for digest in digests if not self.blobs.claim(digest)}
        for path in self._files() if missing else []:
            with contextlib.suppress(FileNotFoundError), _opened(path) as descriptor:
                self._bring(missing, mapped(descriptor))

    def _bring(self, missing: set[str], data: bytes | mmap.mmap) -> None:
        begun, ended = _sorted(parse(data).notes)
        with self.blobs.batch() as batch:
            for one in (*begun, *ended):
                for name, content in zip(one.digests, _contents(data, one.note), strict=False):
                    if name.startswith(UNNAMED) or name in missing:
                        digest = digest_of(content)
                        if digest in missing:
                            batch.add(digest, [content])

    def close(self) -> None:
        """Let go of the notes; whoever comes next goes on with them."""
        with self._lock:
            if self._notes is not None and self._process == os.getpid():
                self._notes.close()
            self._notes = None

    def _files(self) -> list[Path]:
        return sorted(self._open.glob(f"*{ENDING}"))

    def _held(self) -> Notes:
        """Return the notes of this process; what dead processes left is finished first."""
        if self._notes is None or self._has_others(self._notes):
            self._take_over()
        if self._notes is None:
            self._notes = Notes.create(self._open)
        return self._notes

    def _has_others(self, own: Notes) -> bool:
        """Say whether there are notes of others; a folder is looked through when it changed."""
        changed = os.stat(self._open).st_mtime_ns  # noqa: PTH116 - the hot path
        if changed == self._alone_since:
            return False
        names = os.listdir(self._open)  # noqa: PTH208 - the hot path
        has_others = any(name.endswith(ENDING) and name != own.path.name for name in names)
        is_settled = time.time_ns() - changed > _MOMENT_NS  # or it may change at the same moment
        self._alone_since = changed if is_settled and not has_others else None
        return has_others

    def _take_over(self) -> None:
        for name in os.listdir(self._open) if self._open.is_dir() else ():  # noqa: PTH208
            if is_abandoned(name):
                (self._open / name).unlink(missing_ok=True)
        for path in self._files():
            notes = Notes.take(path)
            if notes is None:
                continue
            try:
                ended = self._finish(notes)
                if notes.is_damaged:
                    self._keep(notes, ended)
                    aside = notes.set_aside()
                    log.error(
                        "checkpoints: part of %s cannot be read; set aside as %s", path, aside
                    )
                elif self._notes is None:
                    self._notes, self._ended = notes, ended
                else:
                    self._keep(notes, ended)
                    notes.remove()
            except (OSError, HermesError) as error:
                log.error("checkpoints: what %s says cannot be finished now: %s", path, error)
                notes.close()

    def _finish(self, notes: Notes) -> list[Pending]:
        """Settle what a dead process began; return all that it ended, and this."""
        begun, ended = _sorted(notes.found)
        for noted in begun:
            contents = notes.contents(noted.note)
            one = noted.named(contents)
            for digest, content in zip(one.digests, contents, strict=False):
                if digest_of(content) == digest:
                    self.blobs.put(content, digest)
            whole = settle(self.whole(one.checkpoint), self.blobs)
            found = one.checkpoint._replace(status=whole.status, left=whole.left)
            report(found)
            with contextlib.suppress(NoRoom):
                notes.add(["end", found.id, found.status, found.left])
            ended.append(one._replace(checkpoint=found))
        if begun:
            notes.sync()
        return ended


def _contents(data: bytes | mmap.mmap, note: Note) -> Iterator[bytes]:
    """Yield the contents of a note, each only when it is asked for."""
    at = note.at
    for size in note.sizes:
        yield data[at : at + size]
        at += size


def _is_kept(checkpoint: Checkpoint) -> bool:
    return checkpoint.status == "done" or bool(checkpoint.left)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _sorted(notes: Iterable[Note]) -> tuple[list[Pending], list[Pending]]:
    """Return what notes say was begun and not ended, and what ended."""
    begun: dict[str, Pending] = {}
    ended: list[Pending] = []
    for note in notes:
        try:
            if note.value[0] == "begin":
                one = Pending(checkpoint_from(note.value[1]), list(note.value[2]), note)
                begun[one.checkpoint.id] = one
            elif note.value[1] in begun:
                _, name, status, left = note.value
                one = begun.pop(name)
                found = one.checkpoint._replace(status=status, left=tuple(left))
                ended.append(one._replace(checkpoint=found))
        except (ValueError, LookupError, TypeError) as error:
            log.error("checkpoints: a note cannot be understood: %s", error)
    return list(begun.values()), ended
