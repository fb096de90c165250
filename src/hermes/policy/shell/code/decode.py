"""Undo the encodings that hide a command: base64, hex, rot13, escapes, reversal."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import urllib.parse
import zlib
from collections.abc import Callable

_LIMIT = 1_000_000
_ESCAPE = re.compile(
    r"\\(?:x(?P<hex>[0-9a-fA-F]{1,2})|u(?P<short>[0-9a-fA-F]{1,4})|U(?P<long>[0-9a-fA-F]{1,8})"
    r"|0?(?P<octal>[0-7]{1,3})|c(?P<control>.)|(?P<plain>.))",
    re.DOTALL,
)
_PLAIN = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_BROKEN = (ValueError, binascii.Error, zlib.error, UnicodeError, OverflowError)


def decoded(kind: str, text: str) -> str | None:
    """Return what an encoded text hides, None when it is not of that kind.

    Kinds: base64, base64url, base32, hex, xxd, rot13, url, escapes, gzip, rev.
    """
    decoder = _DECODERS.get(kind.lower())
    if decoder is None or len(text) > _LIMIT:
        return None
    try:
        return decoder(text)
    except _BROKEN:
        return None


def _text(data: bytes) -> str:
    if data[:2] in {b"\x1f\x8b", b"\x78\x9c", b"\x78\xda", b"\x78\x01"}:
        data = zlib.decompressobj(wbits=47).decompress(data, _LIMIT)
    if data[1:2] == b"\0" and len(data) % 2 == 0:
        return data.decode("utf-16-le")
    return data.decode("utf-8")


def _base64(text: str) -> str:
    packed = re.sub(r"\s", "", text).rstrip("=").replace("-", "+").replace("_", "/")
    return _text(base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True))


def _base32(text: str) -> str:
    packed = re.sub(r"\s", "", text).rstrip("=")
    return _text(base64.b32decode(packed + "=" * (-len(packed) % 8), casefold=True))


def _hex(text: str) -> str:
    # A dump has an address before the bytes of each line and their letters after them.
    lines = [re.sub(r"^[0-9a-fA-F]+: |  .*$", "", line) for line in text.splitlines()]
    digits = re.sub(r"\\x|0x|[\s:,]", "", "".join(lines))
    return _text(bytes.fromhex(digits))


def _escapes(text: str) -> str:
    if "\\" not in text:
        return text
    data = bytearray()
    at = 0
    for found in _ESCAPE.finditer(text):
        data += text[at : found.start()].encode("utf-8", "surrogatepass")
        data += _escape(found)
        at = found.end()
    data += text[at:].encode("utf-8", "surrogatepass")
    return data.decode("utf-8", "replace")


def _escape(found: re.Match[str]) -> bytes:
    if found["hex"]:
        return bytes([int(found["hex"], 16)])
    if found["octal"]:
        return bytes([int(found["octal"], 8) & 0xFF])
    if found["control"]:
        return bytes([ord(found["control"]) & 0x1F])
    wide = found["short"] or found["long"]
    if wide:
        return chr(int(wide, 16)).encode("utf-8", "surrogatepass")
    return _PLAIN.get(found["plain"], found[0]).encode("utf-8", "surrogatepass")


def _reversed(text: str) -> str:
    return "\n".join(line[::-1] for line in text.split("\n"))


_DECODERS: dict[str, Callable[[str], str]] = {
    "base64": _base64,
    "base64url": _base64,
    "gzip": _base64,
    "gzip+base64": _base64,
    "base32": _base32,
    "hex": _hex,
    "xxd": _hex,
    "rot13": lambda text: codecs.decode(text, "rot13"),
    "url": urllib.parse.unquote,
    "url-encoding": urllib.parse.unquote,
    "escapes": _escapes,
    "printf": _escapes,
    "echo": _escapes,
    "rev": _reversed,
}
