"""The members of a zip: its directory is read once, and checked against what it points to."""

from __future__ import annotations

import io
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import Iterator

from hermes.base.errors import ToolError
from hermes.services.files.archives import (
    PART,
    Limits,
    Member,
    MemberKind,
    damaged,
    too_much,
    unsafe,
)
from hermes.services.files.archives.streams import Readable, Source, Unpacked
from hermes.services.files.disk import Opened
from hermes.services.files.merging import shown

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_LARGEST_DIRECTORY = 64 << 20
_METHODS = {0: "", 8: "deflate", 12: "bz2", 14: "lzma", 93: "zst"}
_ENCRYPTED, _HAS_END_MARK, _IS_UTF8 = 0x2041, 0x2, 0x800
_UNIX = (3, 19)
_LONGEST_TARGET = 4_096
_TIME_NOTE = 0x5455
_NANO = 1_000_000_000
_FAULTS = (
    zipfile.BadZipFile,
    ValueError,
    struct.error,
    NotImplementedError,
    OverflowError,
    IndexError,
)


class _Raw(io.RawIOBase):
    """A file of a disk for those who read files by a place in them."""

    def __init__(self, file: Opened) -> None:
        self._file, self._at = file, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        base = (0, self._at, self._file.found.size)[whence]
        if base + offset < 0:
            raise OSError("a place before the beginning")
        self._at = base + offset
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any buffer will do
        data = self._file.read(self._at, len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class _Seekable(io.BufferedReader):
    """The same, which never reads more at once than a directory may have."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _LARGEST_DIRECTORY:
            raise too_much("has a directory of more entries than are unpacked")
        return super().read(size)


def seekable(file: Opened) -> io.BufferedReader:
    """Return a file for those who read files by a place in them."""
    return _Seekable(_Raw(file), PART)


class Zip:
    """Read a zip."""

    def __init__(self, file: Opened, limits: Limits) -> None:
        self._file = file
        try:
            with zipfile.ZipFile(seekable(file)) as packed:
                self._infos = packed.infolist()
        except _FAULTS as error:
            raise damaged(str(error) or type(error).__name__) from error
        except OSError as error:
            if error.errno is not None:
                raise
            raise damaged(str(error)) from error
        if len(self._infos) > limits.entries:
            raise too_much(f"has more than {limits.entries} entries")

    def members(self) -> Iterator[Member]:
        """Yield what is in it."""
        _check_apart(self._infos, self._file.found.size)
        for info in self._infos:
            yield self._member(info)

    def _member(self, info: zipfile.ZipInfo) -> Member:
        if info.flag_bits & _ENCRYPTED:
            raise _encrypted(info)
        if info.filename != info.orig_filename:
            raise unsafe(f"{shown(info.orig_filename)!r} has a NUL in its name")
        mode = info.external_attr >> 16 if info.create_system in _UNIX else 0
        kind = _kind(info, mode)
        target = self._target(info) if kind == "link" else ""
        return Member(
            info.filename,
            kind,
            info.file_size if kind == "file" else 0,
            stat.S_IMODE(mode) if mode else None,
            _time(info),
            target,
            lambda: self._parts(info),
        )

    def _target(self, info: zipfile.ZipInfo) -> str:
        data = b""
        for part in self._parts(info):
            data += part
            if len(data) > _LONGEST_TARGET:
                raise unsafe(f"{shown(info.filename)} is a link with an impossible target")
        return data.decode("utf-8", "surrogateescape")

    def _parts(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """Yield what a file holds, and compare it with its check sum at the end."""
        read = self._reader(info)
        left, seen = info.file_size, 0
        while part := read(min(PART, left + 1)):
            if len(part) > left:
                raise damaged(f"{shown(info.filename)} is larger than its entry says")
            left -= len(part)
            seen = zlib.crc32(part, seen)
            yield part
        if left or seen != info.CRC:
            raise damaged(f"{shown(info.filename)} is not what its check sum says")

    def _reader(self, info: zipfile.ZipInfo) -> Readable:
        method = _METHODS.get(info.compress_type)
        if method is None:
            what = f"compressed in a way that is not supported (method {info.compress_type})"
            raise ToolError(f"{shown(info.filename)} is {what}", code="unsupported_archive")
        start = self._data_at(info)
        source = Source(self._file, start, start + info.compress_size)
        if not method:
            return source.read
        head = _lzma_head(source, info) if method == "lzma" else b""
        return Unpacked(source, method, head).read

    def _data_at(self, info: zipfile.ZipInfo) -> int:
        """Return where the bytes of an entry begin; both of its headers must name the same."""
        head = self._file.read(info.header_offset, _LOCAL.size)
        if len(head) < _LOCAL.size or head[:4] != b"PK\3\4":
            raise damaged(f"{shown(info.filename)} is not where it should be")
        fields = _LOCAL.unpack(head)
        flags, name_size, extra_size = fields[2], fields[9], fields[10]
        if flags & _ENCRYPTED:
            raise _encrypted(info)
        at = info.header_offset + _LOCAL.size
        name = self._file.read(at, name_size)
        try:
            text = name.decode("utf-8" if flags & _IS_UTF8 else "cp437")
        except UnicodeDecodeError as error:
            raise damaged("a name in it is not UTF-8") from error
        if text != info.orig_filename:
            raise unsafe(f"{shown(info.filename)!r} is called {text!r} elsewhere in the archive")
        return at + int(name_size) + int(extra_size)


def _encrypted(info: zipfile.ZipInfo) -> ToolError:
    return ToolError(
        f"{shown(info.filename)} is encrypted; archives with a password are not supported",
        code="encrypted_archive",
        hint="Unpack it with a program that asks for the password, such as 7z.",
    )


def _check_apart(infos: list[zipfile.ZipInfo], size: int) -> None:
    """Refuse entries that share bytes: so a small file holds much more than it could."""
    end = 0
    for info in sorted(infos, key=lambda each: each.header_offset):
        if info.header_offset < end:
            raise unsafe(f"{shown(info.filename)} shares its bytes with another entry")
        end = info.header_offset + _LOCAL.size + info.compress_size
        if info.header_offset < 0 or end > size:
            raise damaged(f"{shown(info.filename)} is not where it should be")


def _kind(info: zipfile.ZipInfo, mode: int) -> MemberKind:
    if info.is_dir() or stat.S_ISDIR(mode):
        return "folder"
    if stat.S_ISLNK(mode):
        return "link"
    return "file" if stat.S_IFMT(mode) in (0, stat.S_IFREG) else "other"


def _lzma_head(source: Source, info: zipfile.ZipInfo) -> bytes:
    """Return the head of the stream as the decoder knows it."""
    version = source.read(4)
    if len(version) < 4 or version[2:] != b"\x05\0":
        raise damaged(f"{shown(info.filename)} is not compressed as it says")
    has_mark = info.flag_bits & _HAS_END_MARK
    size = 0xFFFF_FFFF_FFFF_FFFF if has_mark else info.file_size
    return source.read(5) + size.to_bytes(8, "little")


def _time(info: zipfile.ZipInfo) -> int | None:
    """Return when a file was changed: to the second where the archive says so, else to two."""
    extra = info.extra
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        if kind == _TIME_NOTE and size >= 5 and len(extra) >= 9 and extra[4] & 1:
            return int(struct.unpack_from("<l", extra, 5)[0]) * _NANO
        extra = extra[4 + size :]
    try:
        return int(time.mktime((*info.date_time, 0, 0, -1))) * _NANO
    except (ValueError, OverflowError):
        return None
