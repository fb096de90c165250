"""Read lists and objects that a model wrote as text."""

from __future__ import annotations

import re

from hermes.base.json import NotJson, decode
from hermes.base.messages import Json
from hermes.schema.fitting.relaxed import Malformed, parse
from hermes.schema.fitting.scalars import NO

_MAX_ALMOST_JSON = 1_000_000
_PIECES = re.compile(r"\w[\w.+#@/-]*(?:, ?\w[\w.+#@/-]*)+")


def reads_as_list(value: Json) -> bool:
    """Tell whether a value is a list or a text that opens like one."""
    return isinstance(value, list) or (isinstance(value, str) and value[:50].lstrip()[:1] == "[")


def is_broken_list(value: Json) -> bool:
    """Tell whether a text was meant as a list but cannot be read; it is no item either."""
    if not reads_as_list(value) or not isinstance(value, str):
        return False
    inside = value.strip()[1:]
    return inside.endswith("]") or inside.lstrip()[:1] in ("[", "{", '"', "'")


def split(value: Json) -> list[Json] | None:
    """Return the words of ``a,b`` or ``[a, b]``, or None where it is no plain list of words."""
    if not isinstance(value, str) or len(value) > 10_000:
        return None
    text = value.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1].strip()
    return re.split(r", ?", text) if _PIECES.fullmatch(text) else None


def parsed(value: Json, openers: str) -> Json:
    """Return the value in a text that opens like JSON, encoded once or more, or NO."""
    for _ in range(3):
        if not isinstance(value, str):
            return value
        text = value.strip()
        if not text or text[0] not in openers + '"':
            return NO
        try:
            value = decode(text)
        except NotJson:
            value = _almost(text)
    return NO if isinstance(value, str) else value


def _almost(text: str) -> Json:
    try:
        return parse(text) if len(text) <= _MAX_ALMOST_JSON else NO
    except Malformed:
        return NO
