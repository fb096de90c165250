"""What is about to change, in a file of this process's own: one write and one wait for the disk.

The file is made with room to begin with, so that adding to it changes nothing else. A note is a
head with a checksum, a line of JSON, and the contents that would be lost. Whoever holds the file's
lock is alive; what a dead process noted is taken over. When all notes are in the store, the room is
used again: the generation in their heads tells new notes from what is left of older ones.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import mmap
import os
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hermes.base.files import private_folder, sync_folder, temporary_name
from hermes.base.json import UNSAYABLE, encode_simple

ENDING = ".notes"
SIZE = 32 << 20
"""How large a file can become."""
_CLEARED: list[Any] = ["cleared"]
_ROOM = 1 << 20
_MOST_NOTES = 2_000
_MAGIC = b"hckp"
_HEAD = struct.Struct(">4sQIII")
_sync = getattr(os, "fdatasync", os.fsync)


class NoRoom(Exception):
    """The file is full until what it holds was moved to the store."""


class Note(NamedTuple):
    """One note, and where its contents lie."""

    value: list[Any]
    at: int
    sizes: tuple[int, ...]


class Read(NamedTuple):
    """All that a file holds."""

    notes: list[Note]
    generation: int
    end: int
    is_damaged: bool = False


class Notes:
    """One file that this process holds; its owner sees to it that one thread adds at a time."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path, self._descriptor = path, descriptor
        read = parse(mapped(descriptor))
        self.found, self.is_damaged = read.notes, read.is_damaged
        self._generation, self._next = read.generation, read.end
        self._synced, self._count = read.end, len(read.notes)

    @classmethod
    def create(cls, folder: Path) -> Notes:
        """Make a new file and hold it."""
        private_folder(folder)
        path = folder / f"{os.getpid()}-{os.urandom(4).hex()}{ENDING}"
        new = folder / temporary_name(path.name)  # nobody may take it before it is held
        descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _write(descriptor, [bytes(_ROOM)], 0)
            os.fsync(descriptor)
            Path(new).replace(path)
            sync_folder(folder)
            return cls(path, descriptor)
        except BaseException:
            for name in (new, path):
                with contextlib.suppress(OSError):
                    name.unlink()
            os.close(descriptor)
            raise

    @classmethod
    def take(cls, path: Path) -> Notes | None:
        """Hold the file of a process that is gone; None when it is not."""
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.stat().st_ino == os.fstat(descriptor).st_ino:
                return cls(path, descriptor)
        except OSError:
            pass
        os.close(descriptor)
        return None

    @property
    def is_filling(self) -> bool:
        """Say whether it is time to move what is here to the store."""
        return self._next > SIZE * 3 // 4 or self._count > _MOST_NOTES

    def add(self, value: list[Any], contents: Sequence[bytes] = ()) -> Note:
        """Add a note where a kill cannot lose it.

        Raises:
            NoRoom: it does not fit.
            OSError: the disk cannot take it.
        """
        sizes = tuple(map(len, contents))
        text = _encoded([value, sizes])
        size = _HEAD.size + len(text) + sum(sizes)
        if self._next + size > SIZE:
            raise NoRoom
        crc = _checksum(self._generation, text, sum(sizes))
        head = _HEAD.pack(_MAGIC, self._generation, len(text), sum(sizes), crc)
        _write(self._descriptor, [head + text, *contents], self._next)
        note = Note(value, self._next + _HEAD.size + len(text), sizes)
        self._next += size
        self._count += 1
        return note

    def sync(self) -> None:
        """Wait until all that was added survives a power cut; threads wait together."""
        goal = self._next
        if self._synced < goal:
            _sync(self._descriptor)
            self._synced = max(self._synced, goal)

    def contents(self, note: Note) -> list[bytes]:
        """Return the contents of a note."""
        found, at = [], note.at
        for size in note.sizes:
            found.append(os.pread(self._descriptor, size, at))
            at += size
        return found

    def clear(self) -> None:
        """Use the room again; everything in it must be in the store."""
        self._generation += 1
        self._next = self._synced = self._count = 0
        self.add(_CLEARED)  # or the old ones would be read until there is a new one

    def close(self) -> None:
        """Let go of the file; whoever comes next goes on with it."""
        os.close(self._descriptor)

    def remove(self) -> None:
        """Delete the file."""
        with contextlib.suppress(OSError):
            self.path.unlink()
        self.close()

    def set_aside(self) -> Path:
        """Keep a damaged file under another name, and let go of it."""
        aside = self.path.with_suffix(".damaged")
        with contextlib.suppress(OSError):
            self.path.replace(aside)
        self.close()
        return aside


def _encoded(value: list[Any]) -> bytes:
    try:
        return encode_simple(value)
    except UNSAYABLE:  # a name that is no text; it must be read as it was
        return json.dumps(value, separators=(",", ":")).encode()


def mapped(descriptor: int) -> bytes | mmap.mmap:
    """Return what a file holds, without reading what is not looked at."""
    if os.fstat(descriptor).st_size == 0:
        return b""
    return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)


def parse(data: bytes | mmap.mmap) -> Read:
    """Return the notes of a file, those behind a damaged one too."""
    sound: list[tuple[int, int, Note]] = []
    at = data.find(_MAGIC)
    while at >= 0:
        note = _read(data, at)
        if note is not None:
            sound.append((_generation(data, at), at, note))
        at = data.find(_MAGIC, at + 1 if note is None else _end(note))
    if not sound:
        return Read([], _above_all(data), 0)
    newest = max(generation for generation, _, _ in sound)
    expected, notes, is_damaged = 0, [], False
    for generation, at, note in sound:
        if generation == newest:
            is_damaged |= at != expected
            if note.value != _CLEARED:
                notes.append(note)
            expected = _end(note)
    return Read(notes, newest, expected, is_damaged)


def _end(note: Note) -> int:
    return note.at + sum(note.sizes)


def _generation(data: bytes | mmap.mmap, at: int) -> int:
    return int(_HEAD.unpack_from(data, at)[1])


def _above_all(data: bytes | mmap.mmap) -> int:
    """Return a generation above those that a file without a sound note may still show."""
    highest, at = 0, data.find(_MAGIC)
    while 0 <= at <= len(data) - _HEAD.size:
        found = _generation(data, at)
        highest = max(highest, found if found < 1 << 62 else 0)
        at = data.find(_MAGIC, at + 1)
    return highest + 1


def _read(data: bytes | mmap.mmap, at: int) -> Note | None:
    if len(data) - at < _HEAD.size:
        return None
    magic, generation, length, size, crc = _HEAD.unpack_from(data, at)
    begin = at + _HEAD.size
    if magic != _MAGIC or begin + length + size > len(data):
        return None
    text = data[begin : begin + length]
    if _checksum(generation, text, size) != crc:
        return None
    try:
        value, sizes = json.loads(text)
        return Note(list(value), begin + length, tuple(map(int, sizes)))
    except (ValueError, TypeError, RecursionError):
        return None


def _checksum(generation: int, text: bytes, size: int) -> int:
    return zlib.crc32(text, (generation ^ size) & 0xFFFFFFFF)


def _write(descriptor: int, parts: Sequence[bytes], at: int) -> None:
    views = [memoryview(part) for part in parts if part]
    while views:
        done = os.pwritev(descriptor, views[:512], at)
        at += done
        while views and done >= len(views[0]):
            done -= len(views.pop(0))
        if done:
            views[0] = views[0][done:]
