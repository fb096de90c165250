"""Compressed streams: a bounded piece goes in, a bounded piece comes out."""

from __future__ import annotations

import bz2
import lzma
import sys
import zlib
from collections.abc import Callable
from typing import Any, Protocol

from hermes.base.optional import load
from hermes.services.files.archives import PART, Format, damaged
from hermes.services.files.disk import Opened

_MOST_MEMORY = 256 << 20
MAGIC = {
    "gz": b"\x1f\x8b",
    "bz2": b"BZh",
    "xz": b"\xfd7zXZ\0",
    "zst": b"\x28\xb5\x2f\xfd",
}
_ERRORS = (zlib.error, lzma.LZMAError, EOFError, ValueError, MemoryError, OSError)


Readable = Callable[[int], bytes]
"""Returns the next bytes, fewer only at the end."""


class Decoder(Protocol):
    """Unpacks one compressed stream, no more of it at a time than is asked for."""

    @property
    def eof(self) -> bool:
        """Whether the stream is at its end."""

    @property
    def needs_input(self) -> bool:
        """Whether more bytes are needed before more can come out."""

    @property
    def unused_data(self) -> bytes:
        """What came after the end."""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Take bytes and return some that they stand for."""


class Encoder(Protocol):
    """Compresses a stream."""

    def compress(self, data: bytes) -> bytes:
        """Take bytes and return what is ready."""

    def flush(self) -> bytes:
        """Return the rest."""


class Inflater:
    """Deflate, in the manner of the other decoders."""

    def __init__(self, window: int) -> None:
        self._inner = zlib.decompressobj(window)

    @property
    def eof(self) -> bool:
        """Whether the stream is at its end."""
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        """Whether more bytes are needed before more can come out."""
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        """What came after the end."""
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Take bytes and return some that they stand for."""
        return self._inner.decompress(self._inner.unconsumed_tail + data, max(0, max_length))


def zstd() -> Any:
    """Return the library for zstd: Python's own, or the same for Pythons that have none."""
    return load("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def decoder(kind: str) -> Decoder:
    """Return what unpacks a kind of compression."""
    if kind == "gz":
        return Inflater(31)
    if kind == "deflate":
        return Inflater(-15)
    if kind == "bz2":
        return bz2.BZ2Decompressor()
    if kind == "xz":
        return lzma.LZMADecompressor(memlimit=_MOST_MEMORY)
    if kind == "lzma":
        return lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=_MOST_MEMORY)
    made: Decoder = zstd().ZstdDecompressor()
    return made


def encoder(kind: Format) -> Encoder | None:
    """Return what compresses a format; None for one that does not."""
    if kind == "tar.gz":
        return zlib.compressobj(6, zlib.DEFLATED, 31)
    if kind == "tar.bz2":
        return bz2.BZ2Compressor()
    if kind == "tar.xz":
        return lzma.LZMACompressor()
    if kind == "tar.zst":
        made: Encoder = zstd().ZstdCompressor()
        return made
    return None


def _errors(kind: str) -> tuple[type[Exception], ...]:
    return (*_ERRORS, zstd().ZstdError) if kind == "zst" else _ERRORS


class Source:
    """A file from one place to another, in order."""

    def __init__(self, file: Opened, start: int = 0, end: int | None = None) -> None:
        self._file, self._at = file, start
        self._end = file.found.size if end is None else end

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer only at the end."""
        part = self._file.read(self._at, min(size, self._end - self._at))
        self._at += len(part)
        return part


class Unpacked:
    """What compressed bytes stand for, in order; one stream after the other if there are more."""

    def __init__(self, source: Source, kind: str, start: bytes = b"") -> None:
        self._source, self._kind = source, kind
        self._decoder, self._held = decoder(kind), start
        self._ready = bytearray()
        self._is_done = False

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer only at the end.

        Raises:
            ToolError: the stream is damaged or cut off.
        """
        while len(self._ready) < size and not self._is_done:
            try:
                self._ready += self._more(PART)
            except _errors(self._kind) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                raise damaged(str(error) or type(error).__name__) from error
        part = bytes(self._ready[:size])
        del self._ready[:size]
        return part

    def _more(self, most: int) -> bytes:
        if self._decoder.eof:
            return self._next_stream()
        if self._held or not self._decoder.needs_input:
            data, self._held = self._held, b""
        else:
            data = self._source.read(PART)
        found = self._decoder.decompress(data, max(most, 1))
        if not data and not found and not self._decoder.eof and self._decoder.needs_input:
            raise EOFError("it ends too early")
        return found

    def _next_stream(self) -> bytes:
        """Begin with the stream that follows, if one does."""
        rest = self._decoder.unused_data + self._held
        magic = MAGIC.get(self._kind, b"")
        if len(rest) < len(magic):
            rest += self._source.read(PART)
        rest = rest.lstrip(b"\0")
        self._is_done = not magic or not rest.startswith(magic)
        if not self._is_done:
            self._decoder, self._held = decoder(self._kind), rest
        return b""
