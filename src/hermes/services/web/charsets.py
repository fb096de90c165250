"""Turn the bytes of a page into text: by its mark, its header, its own words, or by eye."""

from __future__ import annotations

import codecs
import re

from hermes.base.optional import load

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_INSIDE = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:+-]+)"
    rb"|<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:+-]+)"
    rb"|^\s*@charset\s+\"([\w.:+-]+)\"",
    re.IGNORECASE,
)
# sets that any bytes fit, and that services name without a look at what they send
_WESTERN = re.compile(r"(?:iso-?8859-?1|latin-?1|iso-?8859-?15|(?:windows-|cp)1252|(?:us-)?ascii)")
_HEAD_BYTES = 4_096
_SAMPLE_BYTES = 65_536
# what pages call Latin-1 and ASCII is read as Windows writes it, as browsers do
_AS_BROWSERS_DO = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252",
                   "us-ascii": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030",
                   "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "shift_jis": "cp932",
                   "shift-jis": "cp932", "x-sjis": "cp932", "big5": "big5hkscs"}  # fmt: skip


def text_of(data: bytes, content_type: str = "") -> str:
    """Return bytes as text; what fits no character set is shown as replaced, never refused."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data.decode(name, "replace")
    for name in (_in_header(content_type), _in_head(data)):
        if name and (text := _decoded(data, name)) is not None:
            better = _as_utf8(data) if _WESTERN.fullmatch(name) else None
            return text if better is None else better
    text = _as_utf8(data)
    return _by_eye(data) if text is None else text


def _as_utf8(data: bytes) -> str | None:
    """Return bytes that are UTF-8, whatever is said about them: nothing else looks like it.

    A few that are broken or cut off, among many that are not, change nothing.
    """
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if not broken:
        return text
    whole = len(text) - len(text.encode("ascii", "ignore")) - broken
    return text if whole > 20 * broken else None


def _in_header(content_type: str) -> str:
    found = _HEADER.search(content_type)
    return found[1].lower() if found else ""


def _in_head(data: bytes) -> str:
    found = _INSIDE.search(data[:_HEAD_BYTES])
    if found is None:
        return ""
    name = (found[1] or found[2] or found[3]).decode("ascii").lower()
    # bytes that an ASCII pattern matches are no UTF-16, whatever they say
    return "utf-8" if name.startswith(("utf-16", "utf-32")) else name


def _decoded(data: bytes, name: str) -> str | None:
    """Return the text if the name is known and fits all but a few bytes."""
    try:
        codec = codecs.lookup(_AS_BROWSERS_DO.get(name, name))
    except (LookupError, ValueError):
        return None
    if not getattr(codec, "_is_text_encoding", True):
        return None
    try:
        text = data.decode(codec.name, "replace")
    except (UnicodeError, ValueError):
        return None
    return None if text.count("\ufffd") > len(text) // 50 else text


def _by_eye(data: bytes) -> str:
    best = load("charset_normalizer").from_bytes(data[:_SAMPLE_BYTES]).best()
    return data.decode(best.encoding if best else "cp1252", "replace")
