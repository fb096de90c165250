"""Make archives: whole or not at all, always in the same order, without what is secret."""

from __future__ import annotations

import contextlib
import posixpath
import stat
import struct
import tarfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from hermes.base.errors import Denied, InvalidArguments, ToolError
from hermes.base.files import TEMPORARY
from hermes.policy.paths import Places, concern
from hermes.services.files import Work
from hermes.services.files.archives import PART, Format, Limits, too_much
from hermes.services.files.archives.streams import Encoder, encoder
from hermes.services.files.archives.tar_members import BLOCK
from hermes.services.files.changing import said
from hermes.services.files.disk import Found, Opened, Sink
from hermes.services.files.merging import shown
from hermes.services.files.staging import PREFIX

_NANO = 1_000_000_000
_MOST_NOTED = 20
_LARGE = 0xF000_0000
_EARLIEST = (1980, 1, 1, 0, 0, 0)


class Item(NamedTuple):
    """One thing that goes into an archive."""

    name: str
    found: Found

    @property
    def seconds(self) -> int:
        """When it was changed."""
        return self.found.modified_ns // _NANO


class Writer(Protocol):
    """Writes one format."""

    def add(self, item: Item, file: Opened | None) -> int:
        """Add a folder, a link or a file, and return how many bytes it has."""

    def close(self) -> None:
        """Write the end."""

    def abandon(self) -> None:
        """Write nothing more."""


def create(
    work: Work, archive: str, paths: Sequence[str], kind: Format, *, overwrite: bool
) -> dict[str, Any]:
    """Pack files and folders into a new archive.

    Raises:
        ToolError: something cannot be read or written; there is no new archive then.
    """
    if not paths:
        raise InvalidArguments("create needs paths: what goes into the archive")
    work.leftovers.sweep()
    packing = Packing(work, archive)
    try:
        with work.disk.create(archive, work.leftovers, overwrite=overwrite) as sink:
            writer: Writer = ZipWriter(sink) if kind == "zip" else TarWriter(sink, encoder(kind))
            try:
                packing.add_all(writer, paths)
                writer.close()
            except BaseException:
                writer.abandon()
                raise
        size = work.disk.find(archive).size
    except FileExistsError as error:
        failure = said(error, archive)
        failure.hint = "Set overwrite to replace it, or use another name."
        raise failure from error
    except OSError as error:
        raise said(error, archive if error.filename is None else str(error.filename)) from error
    return {"archive": packing.archive, "format": kind, "size": size, **packing.answer()}


class Packing:
    """Find what goes into an archive, and put it there."""

    def __init__(self, work: Work, archive: str) -> None:
        self._work, self._disk = work, work.disk
        self.archive, self._here = self._plain(archive), self._plain(".")
        self._own_path = self.archive
        home = self._disk.absolute("~")
        self._places = Places((str(work.caller.workspace),), home, "/nonexistent")
        self._names: set[str] = set()
        self._files = self._folders = self._bytes = self._secrets = self._skips = 0
        self._skipped: list[dict[str, str]] = []

    def add_all(self, writer: Writer, paths: Sequence[str]) -> None:
        """Add all paths, sorted by their names in the archive."""
        self._own_path = self._itself()
        named = sorted({(self._name_of(path), path) for path in paths})
        for name, path in named:
            found = self._disk.find(self._plain(path), follow=False)
            self._add(writer, Item(name, found), is_named=True)

    def _plain(self, path: str) -> str:
        return posixpath.normpath(self._disk.absolute(path))

    def _itself(self) -> str:
        """Return where the archive will be, free of links, once its folder is there."""
        above, name = posixpath.split(self.archive)
        try:
            return self._disk.find(self.archive).path
        except OSError:
            return posixpath.join(self._disk.find(above).path, name)

    def _name_of(self, path: str) -> str:
        """Return the name of a path in the archive: from the task's folder on, if it is in it."""
        absolute = self._plain(path)
        if absolute == self._here:
            return ""
        if absolute.startswith(f"{self._here.rstrip('/')}/"):
            return absolute[len(self._here.rstrip("/")) + 1 :]
        return posixpath.basename(absolute)

    def _add(self, writer: Writer, item: Item, *, is_named: bool = False) -> None:
        waiting = [(item, is_named)]
        while waiting:
            one, is_named = waiting.pop()
            self._work.check_wanted()
            if self._is_left_out(one, is_named=is_named):
                continue
            self._put(writer, one)
            if one.found.kind == "folder":
                waiting += [(inner, False) for inner in reversed(self._inside(one))]

    def _inside(self, item: Item) -> list[Item]:
        """Return what is in a folder, sorted."""
        inside = []
        with self._tolerating(item):
            for found in self._disk.entries(item.found.path):
                last = found.path.rpartition("/")[2]
                inside.append(Item(f"{item.name}/{last}" if item.name else last, found))
        return sorted(inside)

    @contextlib.contextmanager
    def _tolerating(self, item: Item) -> Iterator[None]:
        """Leave out what may not be read, and what has gone meanwhile; both are counted."""
        try:
            yield
        except Denied:
            self._skip(item.name, "it may not be read")
        except (FileNotFoundError, PermissionError) as error:
            self._skip(item.name, error.strerror or "it cannot be read")

    def _is_left_out(self, item: Item, *, is_named: bool) -> bool:
        path, last = item.found.path, item.found.path.rpartition("/")[2]
        if path == self._own_path or last.endswith(TEMPORARY) or last.startswith(PREFIX):
            return True
        if item.found.kind == "other":
            self._skip(item.name, "a socket, a pipe or a device")
            return True
        if is_named:
            return False
        found = concern("read", path, self._places, self._here)
        is_secret = found is not None and found.category != "obfuscation"
        self._secrets += is_secret
        return is_secret

    def _skip(self, name: str, reason: str) -> None:
        self._skips += 1
        if len(self._skipped) < _MOST_NOTED:
            self._skipped.append({"name": shown(name), "reason": reason})

    def _put(self, writer: Writer, item: Item) -> None:
        if not item.name:
            return
        if item.name in self._names:
            raise ToolError(
                f"two of the paths would be called {shown(item.name)} in the archive",
                code="invalid_arguments",
                hint="Pack the folder that holds both.",
            )
        self._names.add(item.name)
        if len(self._names) > Limits().entries:
            raise too_much(f"would have more than {Limits().entries} entries")
        if item.found.kind != "file":
            writer.add(item, None)
            self._folders += item.found.kind == "folder"
            return
        with contextlib.ExitStack() as opened:
            file = None
            with self._tolerating(item):
                file = opened.enter_context(self._disk.open(item.found.path))
            if file is not None:
                self._bytes += writer.add(item._replace(found=file.found), _Watched(file, self))
                self._files += 1

    def check_wanted(self) -> None:
        """Stop when nobody waits for it any more."""
        self._work.check_wanted()

    def answer(self) -> dict[str, Any]:
        """Return what was done."""
        answer: dict[str, Any] = {
            "files": self._files,
            "folders": self._folders,
            "bytes": self._bytes,
        }
        if self._secrets:
            answer["secrets_left_out"] = self._secrets
        if self._skips:
            answer["skipped"] = self._skips
            answer["skipped_entries"] = self._skipped
        return answer


class _Watched:
    """A file whose reading stops when nobody waits for it any more."""

    def __init__(self, file: Opened, packing: Packing) -> None:
        self._file, self._packing, self.found = file, packing, file.found

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes from a place on."""
        self._packing.check_wanted()
        return self._file.read(offset, size)


def _parts(file: Opened, size: int) -> Iterator[bytes]:
    """Yield as many bytes as a file had; what has gone meanwhile is zeros."""
    at = 0
    while at < size:
        part = file.read(at, min(PART, size - at)) or bytes(min(PART, size - at))
        at += len(part)
        yield part


class TarWriter:
    """Writes a tar, compressed or not."""

    def __init__(self, sink: Sink, compressor: Encoder | None) -> None:
        self._sink, self._compressor = sink, compressor
        self._written = 0

    def _write(self, data: bytes) -> None:
        self._written += len(data)
        if self._compressor is not None:
            data = self._compressor.compress(data)
        if data:
            self._sink.write(data)

    def add(self, item: Item, file: Opened | None) -> int:
        """Add a folder, a link or a file."""
        found = item.found
        info = tarfile.TarInfo(item.name)
        info.mode, info.mtime = found.mode & 0o777, item.seconds
        if found.kind == "folder":
            info.type = tarfile.DIRTYPE
        elif found.kind == "link":
            info.type, info.linkname = tarfile.SYMTYPE, found.target
        else:
            info.size = found.size
        self._write(info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape"))
        if file is not None:
            for part in _parts(file, info.size):
                self._write(part)
            self._write(bytes(-info.size % BLOCK))
        return info.size

    def close(self) -> None:
        """Write the end."""
        self._write(bytes(2 * BLOCK + -(self._written + 2 * BLOCK) % tarfile.RECORDSIZE))
        if self._compressor is not None:
            self._sink.write(self._compressor.flush())

    def abandon(self) -> None:
        """Write nothing more."""


class _Forward:
    """A sink for those who want a file; it can only be written to."""

    def __init__(self, sink: Sink) -> None:
        self._sink: Sink | None = sink

    def write(self, data: bytes) -> int:
        """Add bytes to its end, if that is still wanted."""
        return len(data) if self._sink is None else self._sink.write(data)

    def abandon(self) -> None:
        """Take nothing more."""
        self._sink = None

    def flush(self) -> None:
        """Do nothing: the sink has it already."""


class ZipWriter:
    """Writes a zip."""

    def __init__(self, sink: Sink) -> None:
        self._file = _Forward(sink)
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED)  # type: ignore[call-overload]  # it is written to, and that is all

    def add(self, item: Item, file: Opened | None) -> int:
        """Add a folder, a link or a file."""
        found = item.found
        info = self._info(item)
        if file is None:
            data = found.target.encode("utf-8", "surrogateescape") if found.kind == "link" else b""
            self._zip.writestr(info, data)
            return 0
        with self._zip.open(info, "w", force_zip64=found.size > _LARGE) as target:
            for part in _parts(file, found.size):
                target.write(part)
        return found.size

    def _info(self, item: Item) -> zipfile.ZipInfo:
        found = item.found
        name = f"{item.name}/" if found.kind == "folder" else item.name
        moment = time.localtime(item.seconds)[:6]
        info = zipfile.ZipInfo(shown(name), max(_EARLIEST, moment))
        types = {"folder": stat.S_IFDIR, "link": stat.S_IFLNK}
        mode = types.get(found.kind, stat.S_IFREG) | found.mode & 0o777
        info.create_system, info.external_attr = 3, mode << 16
        info.compress_type = zipfile.ZIP_DEFLATED if found.kind == "file" else zipfile.ZIP_STORED
        with contextlib.suppress(struct.error):  # a time that the note has no room for
            info.extra = struct.pack("<HHBl", 0x5455, 5, 1, item.seconds)
        return info

    def close(self) -> None:
        """Write the end."""
        self._zip.close()

    def abandon(self) -> None:
        """Write nothing more; it would write its end by itself otherwise, whenever it is freed."""
        self._file.abandon()
        self._zip.close()
