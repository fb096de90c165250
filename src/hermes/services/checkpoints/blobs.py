"""Contents by their SHA-256, each stored once: files below two-letter folders, packed if cheap."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from hermes.base.errors import HermesError
from hermes.base.files import (
    is_abandoned,
    private_folder,
    sync_file_system,
    sync_folder,
    temporary_name,
)

log = logging.getLogger(__name__)

PART = 1 << 20
_PACKED = ".z"
_DAMAGED = ".damaged"
_SAMPLE = 1 << 14
_WORTH = 0.7
_GRACE_SECONDS = 60
_DIGEST_LENGTH = 64
_MANY = 30


class Lost(HermesError):
    """A content that should be kept is not there, or not what it was."""

    code = "content_lost"


class Stored(NamedTuple):
    """One content on disk."""

    digest: str
    path: str
    size: int
    used: float


def digest_of(data: bytes) -> str:
    """Return the name of a content."""
    return hashlib.sha256(data).hexdigest()


class Blobs:
    """Keep contents below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _place(self, digest: str) -> str:
        return f"{self.folder}/{digest[:2]}/{digest}"

    def find(self, digest: str) -> str | None:
        """Return the file of a content, or None."""
        place = self._place(digest)
        for path in (place, place + _PACKED):
            if os.path.exists(path):  # noqa: PTH110 - the hot path
                return path
        return None

    def claim(self, digest: str) -> bool:
        """Say whether a content is kept, and keep it from being pruned in the next minute."""
        place = self._place(digest)
        for path in (place, place + _PACKED):
            try:
                os.utime(path)
            except FileNotFoundError:
                continue
            return True
        return False

    def put(self, data: bytes, digest: str) -> None:
        """Keep a content, durably."""
        if self.claim(digest):
            return
        with self.batch() as batch:
            batch.add(digest, (data[at : at + PART] for at in range(0, len(data), PART)))

    def batch(self) -> Batch:
        """Return what keeps many contents with few waits for the disk; use it in ``with``."""
        return Batch(self)

    def parts(self, digest: str) -> Iterator[bytes]:
        """Yield a content in parts; it is known to be the right one only after the last.

        Raises:
            Lost: it is not there, or damaged; a damaged one is set aside.
        """
        path = self.find(digest)
        if path is None:
            raise Lost(f"the content {digest[:12]} is not kept any more")
        seen = hashlib.sha256()
        try:
            for part in _unpacked(path):
                seen.update(part)
                yield part
        except zlib.error:
            seen = hashlib.sha256(b"damaged")
        if seen.hexdigest() != digest:
            raise self._set_aside(path, digest)

    def read(self, digest: str) -> bytes:
        """Return a whole content.

        Raises:
            Lost: it is not there, or damaged.
        """
        return b"".join(self.parts(digest))

    def _set_aside(self, path: str, digest: str) -> Lost:
        aside = path + _DAMAGED
        with contextlib.suppress(OSError):
            Path(path).replace(aside)
            log.error("checkpoints: %s is damaged; set aside as %s", path, aside)
        return Lost(f"the content {digest[:12]} is damaged; it was set aside as {aside}")

    def sweep(self) -> None:
        """Remove what dead processes left half written."""
        for entry in _listed(str(self.folder)):
            if is_abandoned(entry.name):
                _remove(entry.path)

    def stored(self) -> Iterator[Stored]:
        """Yield what is there."""
        for name in _names(str(self.folder)):
            for entry in _listed(f"{self.folder}/{name}"):
                digest = entry.name.removesuffix(_PACKED)
                if len(digest) == _DIGEST_LENGTH:
                    with contextlib.suppress(FileNotFoundError):
                        facts = entry.stat()
                        yield Stored(digest, entry.path, facts.st_size, facts.st_mtime)

    def known(self) -> set[str]:
        """Return the names of all contents."""
        return {
            entry.name.removesuffix(_PACKED)
            for name in _names(str(self.folder))
            for entry in _listed(f"{self.folder}/{name}")
        }

    def drop(self, stored: Stored) -> bool:
        """Remove a content that nobody claimed lately."""
        if time.time() - stored.used < _GRACE_SECONDS:
            return False
        gone = f"{self.folder}/{temporary_name(stored.digest)}"
        try:
            Path(stored.path).replace(gone)
            if Path(gone).stat().st_mtime != stored.used:  # claimed meanwhile
                Path(gone).replace(stored.path)
                return False
        except FileNotFoundError:
            return False
        _remove(gone)
        return True


class Batch:
    """Write contents first, wait for the disk together, then give them their names."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._waiting: dict[str, tuple[str, str]] = {}
        self.bytes = 0

    def __enter__(self) -> Batch:
        private_folder(self._blobs.folder)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            for temporary, _place in self._waiting.values():
                _remove(temporary)

    def add(self, digest: str, parts: Iterable[bytes]) -> None:
        """Write a content whose name is known."""
        if digest in self._waiting:
            return
        name = temporary_name("")
        temporary = f"{self._blobs.folder}/{name}"
        self._waiting[digest] = (temporary, self._blobs._place(digest))
        packed = self._write(temporary, parts)
        if packed:
            self._waiting[digest] = (temporary, self._blobs._place(digest) + _PACKED)

    def take(self, source: int) -> tuple[str, int]:
        """Write the content of an open file, and return its name and size."""
        name = temporary_name("")
        temporary = f"{self._blobs.folder}/{name}"
        seen, size = hashlib.sha256(), 0

        def parts() -> Iterator[bytes]:
            nonlocal size
            while part := os.read(source, PART):
                seen.update(part)
                size += len(part)
                yield part

        try:
            packed = self._write(temporary, parts())
        except BaseException:
            _remove(temporary)
            raise
        digest = seen.hexdigest()
        if digest in self._waiting or self._blobs.claim(digest):
            _remove(temporary)
        else:
            place = self._blobs._place(digest) + (_PACKED if packed else "")
            self._waiting[digest] = (temporary, place)
        return digest, size

    def _write(self, temporary: str, parts: Iterable[bytes]) -> bool:
        """Write parts to a file; return whether they were packed on the way."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(temporary, flags, 0o600)
        packer = None
        try:
            for number, part in enumerate(parts):
                if number == 0 and _is_worth_packing(part):
                    packer = zlib.compressobj(1)
                self._put(descriptor, packer.compress(part) if packer else part)
            if packer:
                self._put(descriptor, packer.flush())
        finally:
            os.close(descriptor)
        return packer is not None

    def _put(self, descriptor: int, data: bytes) -> None:
        left = memoryview(data)
        self.bytes += len(data)
        while left:
            left = left[os.write(descriptor, left) :]

    def finish(self) -> None:
        """Wait for the disk, then let the contents be found."""
        is_large = len(self._waiting) > _MANY
        if is_large:
            sync_file_system(self._blobs.folder)
        else:
            for temporary, _ in self._waiting.values():
                _sync(temporary)
        folders = set()
        while self._waiting:
            digest, (temporary, place) = next(iter(self._waiting.items()))
            folder = Path(place).parent
            if folder not in folders:
                private_folder(folder)
                folders.add(folder)
            Path(temporary).replace(place)
            del self._waiting[digest]
        if is_large:
            sync_file_system(self._blobs.folder)
        elif folders:
            for folder in (*folders, self._blobs.folder):
                sync_folder(folder)


def _is_worth_packing(part: bytes) -> bool:
    """Try the beginning: text packs well and quickly, the rest is not worth the time."""
    sample = part[:_SAMPLE]
    return len(sample) > 512 and len(zlib.compress(sample, 1)) < len(sample) * _WORTH


def _unpacked(path: str) -> Iterator[bytes]:
    unpacker = zlib.decompressobj() if path.endswith(_PACKED) else None
    with Path(path).open("rb", buffering=0) as file:
        while part := file.read(PART):
            if unpacker is None:
                yield part
                continue
            while part:
                yield unpacker.decompress(part, PART)
                part = unpacker.unconsumed_tail
    if unpacker is not None:
        yield unpacker.flush()


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        Path(path).unlink()


def _names(folder: str) -> list[str]:
    return [entry.name for entry in _listed(folder) if len(entry.name) == 2]


def _listed(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
