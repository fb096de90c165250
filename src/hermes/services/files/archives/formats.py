"""Which format an archive has: by what is in it when it is read, by its name when it is made."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from typing import NamedTuple, get_args

from hermes.base.errors import ToolError
from hermes.services.files.archives import PART, Format, Limits, Member, too_much
from hermes.services.files.archives.streams import MAGIC, Readable, Source, Unpacked
from hermes.services.files.archives.tar_members import BLOCK, Tar, is_tar
from hermes.services.files.archives.zip_members import Zip, seekable
from hermes.services.files.disk import Opened

_ENDINGS: dict[str, Format] = {
    ".zip": "zip",
    ".jar": "zip",
    ".whl": "zip",
    ".tar": "tar",
    ".tar.gz": "tar.gz",
    ".tgz": "tar.gz",
    ".tar.bz2": "tar.bz2",
    ".tbz2": "tar.bz2",
    ".tar.xz": "tar.xz",
    ".txz": "tar.xz",
    ".tar.zst": "tar.zst",
    ".tzst": "tar.zst",
}
_OTHERS = {b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar", b"!<arch>\n": "ar", b"MSCF": "cab"}
_ZIPS = (b"PK\3\4", b"PK\5\6", b"PK\7\x08")


class Contents(NamedTuple):
    """What an archive was found to be, and its members."""

    format: str
    members: Iterator[Member]


def by_name(name: str) -> Format:
    """Return the format that a new archive's name asks for.

    Raises:
        ToolError: the name says nothing.
    """
    for ending, found in sorted(_ENDINGS.items(), key=lambda item: -len(item[0])):
        if name.lower().endswith(ending):
            return found
    raise ToolError(
        f"{name}: the name does not say which format to make",
        code="invalid_arguments",
        hint=f"Give format, one of {', '.join(get_args(Format))}.",
    )


def contents(file: Opened, limits: Limits) -> Contents:
    """Return what an archive holds; its name does not matter.

    Raises:
        ToolError: it is no archive, or one that cannot be read.
    """
    head = file.read(0, BLOCK)
    if head.startswith(_ZIPS):
        return Contents("zip", Zip(file, limits).members())
    for kind, magic in MAGIC.items():
        if head.startswith(magic):
            return _compressed(file, kind, limits)
    if len(head) == BLOCK and is_tar(head):
        metered = _Metered(Source(file).read, limits, file.found.size)
        return Contents("tar", Tar(metered.read, limits).members())
    for magic, name in _OTHERS.items():
        if head.startswith(magic):
            raise _unsupported(file, f"is a {name} archive, which is not supported")
    if zipfile.is_zipfile(seekable(file)):  # a program that unpacks itself
        return Contents("zip", Zip(file, limits).members())
    raise _unsupported(file, "is no archive by its content")


def _unsupported(file: Opened, what: str) -> ToolError:
    hint = "Known are zip, tar, and gz, bz2, xz and zst with or without a tar in them."
    return ToolError(f"{file.found.path} {what}", code="unsupported_archive", hint=hint)


class _Metered:
    """A stream that ends with an error when it is longer than allowed."""

    def __init__(self, read: Readable, limits: Limits, packed: int) -> None:
        self._inner, self._meter = read, Meter(limits, packed)
        self._ahead = b""

    def peek(self, size: int) -> bytes:
        """Return the first bytes, which are read again."""
        self._ahead = self.read(size)
        return self._ahead

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        if self._ahead:
            part, self._ahead = self._ahead[:size], self._ahead[size:]
            if len(part) == size:
                return part
            return part + self.read(size - len(part))
        part = self._inner(size)
        self._meter.add(len(part))
        return part


class Meter:
    """Count what comes out of an archive."""

    def __init__(self, limits: Limits, packed: int) -> None:
        self._limits, self._packed, self.seen = limits, max(packed, 1), 0

    def add(self, size: int) -> None:
        """Count bytes.

        Raises:
            ToolError: they are more than allowed.
        """
        self.seen += size
        limits = self._limits
        if self.seen > limits.bytes:
            raise too_much(f"unpacks to more than {limits.bytes >> 30} GiB")
        if self.seen > limits.ratio_from and self.seen > limits.ratio * self._packed:
            raise too_much(f"unpacks to more than {limits.ratio} times its size, as bombs do")


def _compressed(file: Opened, kind: str, limits: Limits) -> Contents:
    metered = _Metered(Unpacked(Source(file), kind).read, limits, file.found.size)
    if is_tar(metered.peek(BLOCK).ljust(1, b"x")):
        return Contents(f"tar.{kind}", Tar(metered.read, limits).members())
    return Contents(kind, _single(file, kind, metered.read))


def _single(file: Opened, kind: str, read: Readable) -> Iterator[Member]:
    """Yield the one file that is compressed without an archive around it."""
    name = posixpath.basename(file.found.path)
    plain = name.removesuffix(f".{kind}")
    if plain in ("", name):
        plain = f"{name}.unpacked"

    def parts() -> Iterator[bytes]:
        while part := read(PART):
            yield part

    yield Member(plain, "file", -1, None, file.found.modified_ns, "", parts)
