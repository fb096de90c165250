"""The members of a tar, as it streams by; sizes of its own notes are bounded."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import Any

from hermes.services.files.archives import PART, Limits, Member, MemberKind, damaged
from hermes.services.files.archives.streams import Readable

BLOCK = 512
_EMPTY = bytes(BLOCK)
_LONGEST_NOTE = 1 << 20
_NANO = 1_000_000_000
_MOST_SIZE = 1 << 62
_KINDS: dict[bytes, MemberKind] = {
    tarfile.REGTYPE: "file",
    tarfile.AREGTYPE: "file",
    tarfile.CONTTYPE: "file",
    tarfile.DIRTYPE: "folder",
    tarfile.SYMTYPE: "link",
    tarfile.LNKTYPE: "twin",
}


def is_tar(block: bytes) -> bool:
    """Say whether the first 512 bytes of something begin a tar."""
    if block == _EMPTY:
        return True
    try:
        _header(block)
    except tarfile.TarError:
        return False
    return True


def _header(block: bytes) -> tarfile.TarInfo:
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (ValueError, OverflowError) as error:
        raise tarfile.HeaderError(str(error)) from error


class Tar:
    """Read a tar from its beginning to its end."""

    def __init__(self, read: Readable, limits: Limits) -> None:
        self._read, self._limits = read, limits
        self._left = 0
        """What has to be skipped before the next header."""
        self._common: dict[str, str] = {}

    def members(self) -> Iterator[Member]:
        """Yield what is in it."""
        notes: dict[str, str] = {}
        while (header := self._next()) is not None:
            kind = header.type
            if kind in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE):
                notes |= _records(self._note(header.size))
            elif kind == tarfile.XGLTYPE:
                self._common |= _records(self._note(header.size))
            elif kind == tarfile.GNUTYPE_LONGNAME:
                notes["path"] = _text(self._note(header.size))
            elif kind == tarfile.GNUTYPE_LONGLINK:
                notes["linkpath"] = _text(self._note(header.size))
            else:
                yield self._member(header, self._common | notes)
                notes = {}
        while self._read(PART):  # what is compressed has its check sum at its end
            pass

    def _next(self) -> tarfile.TarInfo | None:
        self._skip()
        block = self._read(BLOCK)
        if block in (b"", _EMPTY):
            return None
        if len(block) < BLOCK:
            raise damaged("it ends within a header")
        try:
            header = _header(block)
        except tarfile.TarError as error:
            raise damaged(f"a header is not one ({error})") from error
        if not 0 <= header.size < _MOST_SIZE:
            raise damaged("an entry has an impossible size")
        return header

    def _skip(self) -> None:
        while self._left > 0:
            part = self._read(min(PART, self._left))
            if not part:
                raise damaged("it ends within an entry")
            self._left -= len(part)

    def _note(self, size: int) -> bytes:
        if size > _LONGEST_NOTE:
            raise damaged("a note in it is larger than any name")
        data = self._read(size)
        if len(data) < size:
            raise damaged("it ends within a note")
        self._left = -size % BLOCK
        return data

    def _member(self, header: tarfile.TarInfo, notes: dict[str, str]) -> Member:
        if header.type == tarfile.GNUTYPE_SPARSE or any(key[:11] == "GNU.sparse." for key in notes):
            raise damaged("it has sparse files, which are not supported; unpack it with GNU tar")
        name = notes.get("path", header.name)
        kind = _KINDS.get(header.type, "other")
        has_data = kind == "file" or header.type not in tarfile.SUPPORTED_TYPES
        size = _whole(notes.get("size"), header.size) if has_data else 0
        self._left = size + -size % BLOCK

        def parts() -> Iterator[bytes]:
            left = size
            while left:
                part = self._read(min(PART, left))
                if not part:
                    raise damaged("it ends within an entry")
                left -= len(part)
                self._left -= len(part)
                yield part

        return Member(
            name,
            kind,
            size if kind == "file" else 0,
            header.mode & 0o7777,
            _time(notes.get("mtime"), header.mtime),
            notes.get("linkpath", header.linkname),
            parts,
        )


def _whole(text: str | None, otherwise: int) -> int:
    if text is None:
        return otherwise
    if not text.isascii() or not text.isdigit() or int(text[:20]) >= _MOST_SIZE:
        raise damaged("an entry has an impossible size")
    return int(text)


def _time(text: str | None, otherwise: Any) -> int | None:
    """Return a time in nanoseconds; None for one that no disk has."""
    try:
        seconds = float(text) if text is not None else float(otherwise)
        found = round(seconds * _NANO) if text is not None else int(otherwise) * _NANO
    except (ValueError, OverflowError):
        return None
    return found if abs(found) < 1 << 62 else None


def _text(data: bytes) -> str:
    return data.rstrip(b"\0").decode("utf-8", "surrogateescape")


def _records(data: bytes) -> dict[str, str]:
    """Return the records of a pax note: each ``length key=value`` and a line break."""
    found: dict[str, str] = {}
    at = 0
    while at < len(data):
        digits, space, _ = data[at : at + 20].partition(b" ")
        if not space or not digits.isdigit():
            raise damaged("a note in it is not one")
        end = at + int(digits)
        record = data[at + len(digits) + 1 : end]
        key, equals, value = record.partition(b"=")
        if end <= at or end > len(data) or not equals or not record.endswith(b"\n"):
            raise damaged("a note in it is not one")
        found[key.decode("utf-8", "replace")] = value[:-1].decode("utf-8", "surrogateescape")
        at = end
    return found
