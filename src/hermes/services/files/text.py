"""Bytes as text and back, exactly: encoding, byte order mark and line ends stay as they were."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from hermes.base.optional import load

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 256 << 10
_HIGH_BYTES = bytes(range(128, 256))
_HIGH_RUN = re.compile(rb"[\x80-\xff]{3,}")
_SIGNS_OF_WINDOWS = re.compile(rb"[\x80-\x9f]")
"""Quotes, dashes and the euro; in Latin-1 they are controls, which no text has."""
_NAMES = {"ascii": "utf-8", "cp1252": "latin-1", "latin_1": "latin-1", "shift_jis": "cp932"}
_STRAY = re.compile("[\udc80-\udcff]")
_CHARACTERS_PER_STRAY = 4
_RARE = ["johab"]  # hardly a file is written so, and others are easily taken for it
_BINARY_BYTES = bytes({*range(9), *range(14, 27), *range(28, 32), 127})


class Encoding(NamedTuple):
    """How a text is written as bytes."""

    name: str = "utf-8"
    mark: bytes = b""
    """The byte order mark that it begins with."""
    is_broken: bool = False
    """Whether some bytes are none of it; they stay what they are."""

    @property
    def errors(self) -> str:
        """Return how bytes are taken that are none of it."""
        return "surrogateescape" if self.is_broken else "strict"

    @property
    def shown(self) -> str:
        """Return its name for a person or model."""
        if self.is_broken:
            return f"{self.name} with invalid bytes"
        return f"{self.name} with BOM" if self.mark else self.name


UTF8 = Encoding()


class Text(NamedTuple):
    """A text, and all that is needed to write it as it was."""

    text: str
    """Line ends as they are in the file; without the byte order mark."""
    encoding: Encoding = UTF8

    def encoded(self, text: str) -> bytes:
        """Return another text in the bytes of this one.

        Raises:
            UnicodeEncodeError: the encoding has no such character.
        """
        return self.encoding.mark + text.encode(self.encoding.name, self.encoding.errors)

    @property
    def newline(self) -> str:
        """Return the line end that most lines have."""
        windows = self.text.count("\r\n")
        return "\r\n" if windows and windows * 2 > self.text.count("\n") else "\n"


def decode(data: bytes) -> Text | None:
    """Return bytes as a text that becomes the same bytes again; None for what is no text."""
    encoding = detect(data)
    if encoding is None:
        return None
    text = data[len(encoding.mark) :].decode(encoding.name, encoding.errors)
    return Text(text, encoding)


def detect(data: bytes) -> Encoding | None:
    """Return the encoding of a text, as far as its bytes tell; None for what is no text."""
    for mark, name in _MARKS:
        if data.startswith(mark) and _is_exact(data[len(mark) :], name):
            return Encoding(name, mark)
    if b"\0" in data[:_SAMPLE]:
        return _wide(data)
    if _is_exact(data, "utf-8"):
        return UTF8
    if is_binary(data[:_SAMPLE]):
        return None
    return Encoding(is_broken=True) if _is_nearly_utf8(data) else _narrow(data)


def is_binary(sample: bytes) -> bool:
    """Say whether bytes are no text in any common encoding: by what they are, not by a name."""
    if b"\0" in sample:
        return _wide(sample[: len(sample) // 2 * 2]) is None
    strange = len(sample) - len(sample.translate(None, _BINARY_BYTES))
    return strange > len(sample) * 0.02


def _wide(data: bytes) -> Encoding | None:
    """Return the encoding of a text of two bytes a character that has no mark."""
    sample = data[:_SAMPLE]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = max(1, len(sample) // 2)
    for name, zeros, others in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        is_likely = zeros > half * 0.4 and others < half * 0.05
        if is_likely and len(data) % 2 == 0 and _is_exact(data, name):
            return Encoding(name)
    return None


def _narrow(data: bytes) -> Encoding:
    """Return the encoding of a text of one or more bytes a character, by the look of it."""
    sample = data[:_SAMPLE]
    high = len(sample) - len(sample.translate(None, _HIGH_BYTES))
    together = sum(map(len, _HIGH_RUN.findall(sample)))
    if together * 2 > high:  # else a western text: letters with an accent here and there
        best = load("charset_normalizer").from_bytes(sample, cp_exclusion=_RARE).best()
        name = _NAMES.get(best.encoding, best.encoding) if best is not None else "latin-1"
        if name != "latin-1" and _is_exact(data, name):
            return Encoding(name)
    has_signs = _SIGNS_OF_WINDOWS.search(sample) and _is_exact(data, "cp1252")
    return Encoding("cp1252" if has_signs else "latin-1")


def _is_nearly_utf8(data: bytes) -> bool:
    """Say whether a text is UTF-8 but for a few bytes: no other encoding often looks like it."""
    text = data.decode("utf-8", "surrogateescape")
    strays = len(_STRAY.findall(text))
    others = len(text) - len(text.encode("ascii", "ignore"))
    return others - strays >= strays * _CHARACTERS_PER_STRAY


def _is_exact(data: bytes, name: str) -> bool:
    """Say whether bytes are a text in this encoding, and the text is these bytes."""
    if name == "utf-8" and data.isascii():
        return True
    try:
        text = data.decode(name)
        return name in ("utf-8", "latin-1") or text.encode(name) == data
    except (UnicodeError, LookupError):
        return False
