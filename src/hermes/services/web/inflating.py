"""Bodies that were compressed: read in bounded pieces, whole, and known to be whole."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable, AsyncIterator, Iterator

import httpx2

from hermes.base.errors import ToolError

_PIECE = 1 << 20
_GZIP = frozenset({"gzip", "x-gzip"})
_PLAIN = frozenset({*_GZIP, "deflate", "identity"})
_MAGIC = b"\x1f\x8b"


class Body:
    """The body of a response, as it was before it was compressed.

    ``known`` names the codings that the client can undo, as it says in accept-encoding.
    """

    def __init__(self, response: httpx2.Response, known: str) -> None:
        self._response = response
        self._known = _PLAIN.union(each.strip() for each in known.split(","))
        self.breaks_off = False
        """Whether the compressed body ended before its end; known when it was read."""

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body.

        Raises:
            ToolError: it is compressed in a way that nobody here asked for.
        """
        stream, codings = self._response.stream, self._codings()
        assert isinstance(stream, AsyncIterable)
        if not codings:
            async for chunk in stream:
                yield chunk
        elif len(codings) > 1 or codings[0] not in _PLAIN:
            async for chunk in self._response.aiter_bytes():
                yield chunk
        else:
            inflating = Inflating(is_gzip=codings[0] in _GZIP)
            async for chunk in stream:
                for piece in inflating.pieces(chunk):
                    yield piece
            self.breaks_off = inflating.breaks_off

    def _codings(self) -> list[str]:
        said = self._response.headers.get("content-encoding", "").lower()
        codings = [each for part in said.split(",") if (each := part.strip())]
        if unknown := [each for each in codings if each not in self._known]:
            raise ToolError(
                f"{self._response.request.url.host} compressed its answer as {unknown[0][:40]!r}, "
                "which it was not asked to do",
                code="connection",
                hint="Send the header accept-encoding: identity.",
            )
        return [each for each in codings if each != "identity"]


class Inflating:
    """Undo gzip or deflate, of one part after the other."""

    def __init__(self, *, is_gzip: bool) -> None:
        self._is_gzip = is_gzip
        self._part = zlib.decompressobj(31 if is_gzip else 15)
        self._is_new = True
        self._has_begun = False

    @property
    def breaks_off(self) -> bool:
        """Whether there should be more."""
        return self._has_begun and not self._part.eof

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield what data says.

        Raises:
            httpx2.DecodingError: it was not compressed so.
        """
        while data:
            if self._part.eof:
                if not self._is_gzip or not data.startswith(_MAGIC):
                    return  # what is put behind the end says nothing
                self._part = zlib.decompressobj(31)
            try:
                piece = self._part.decompress(data, _PIECE)
            except zlib.error as error:
                if self._is_gzip or not self._is_new:
                    raise httpx2.DecodingError(str(error)) from error
                self._part = zlib.decompressobj(-15)  # some services leave its head out
                self._is_new = False
                continue
            self._is_new, self._has_begun = False, True
            data = self._part.unconsumed_tail or self._part.unused_data
            if piece:
                yield piece
