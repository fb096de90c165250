"""Whole folders as one stream: pack what is here, unpack what came."""

# Paths are strings here: they come from elsewhere and are handed to the kernel.
# ruff: noqa: PTH100, PTH103, PTH112, PTH118, PTH119, PTH120
from __future__ import annotations

import errno
import os
import tarfile
import tempfile
from typing import IO, Any, Callable

_CONTENT = "content"
PART = 1 << 18


class Writer:
    """A file that hands on all that is written to it."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._parts = bytearray()

    def write(self, data: bytes) -> int:
        """Take bytes; they go on in parts of some size."""
        self._parts += data
        if len(self._parts) >= PART:
            self.flush()
        return len(data)

    def flush(self) -> None:
        """Hand on what is left."""
        if self._parts:
            self._send(bytes(self._parts))
            self._parts.clear()


def pack(source: str, send: Callable[[bytes], None]) -> None:
    """Send a file or folder as a stream; links stay links.

    Raises:
        OSError: it is not there, or may not be read.
    """
    os.lstat(source)
    writer = Writer(send)
    with tarfile.open(fileobj=writer, mode="w|", format=tarfile.PAX_FORMAT) as archive:  # type: ignore[call-overload]  # it is written to, and that is all
        archive.add(os.path.realpath(source), arcname=_CONTENT)
    writer.flush()


def spool(target: str) -> IO[bytes]:
    """Return a nameless file near a target, for a stream until all of it has come."""
    folder = os.path.dirname(os.path.abspath(target))
    os.makedirs(folder, exist_ok=True)
    return tempfile.TemporaryFile(prefix=".hermes-", dir=folder)


def unpack(stream: IO[bytes], target: str) -> None:
    """Put what a stream holds where it belongs; nothing is written outside of the target.

    Raises:
        OSError: it cannot be written, or the stream wants more than it may.
    """
    stream.seek(0)
    target = os.path.abspath(target)
    try:
        with tarfile.open(fileobj=stream, mode="r:") as archive:
            for member in archive:
                _unpack_one(archive, member, target)
    except tarfile.TarError as error:
        raise OSError(errno.EIO, f"the stream is broken: {error}", target) from error


def _unpack_one(archive: tarfile.TarFile, member: tarfile.TarInfo, target: str) -> None:
    path = _placed(member.name, target)
    if member.islnk():
        member.linkname = _placed(member.linkname, target)
    elif not (member.isfile() or member.isdir() or member.issym()):
        return  # a socket or device is not copied
    if not member.isdir() and os.path.lexists(path) and not _is_folder(path):
        os.unlink(path)  # noqa: PTH108 - never write through a link that was there
    member.name, member.mode = path, member.mode & 0o777
    member.uid, member.gid = os.getuid(), os.getgid()
    member.uname = member.gname = ""
    _extract(archive, member)


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    options: Any = {"filter": "fully_trusted"} if hasattr(tarfile, "data_filter") else {}
    archive.extract(member, path="/", **options)


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)  # noqa: PTH114


def _placed(name: str, target: str) -> str:
    """Return where a name of the stream belongs; never outside of the target, by no link."""
    first, _, inner = name.partition("/")
    path = os.path.join(target, inner) if inner else target
    real = os.path.realpath(os.path.dirname(path))
    top = os.path.realpath(target)
    is_inside = not inner or real == top or real.startswith(top.rstrip("/") + "/")
    if first != _CONTENT or ".." in inner.split("/") or inner.startswith("/") or not is_inside:
        raise OSError(errno.EPERM, "the stream wants to write outside of the target", name)
    return path
