"""Turn one scalar into the type a schema asks for, or say that it cannot be done exactly."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal

from hermes.base.json import NotJson, decode, encode
from hermes.base.messages import Json
from hermes.schema.fitting.shape import same

NO: Json = object()
"""Stands for: this value cannot become that type without loss."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")
_DECIMAL = re.compile(
    r"[+-]?(?:[0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,3})?"
)
_YES = frozenset({"true", "yes", "on", "1"})
_NOT = frozenset({"false", "no", "off", "0"})
_NOTHING = frozenset({"", "null", "none"})
_MAX_WORD = 200


def convert(value: Json, name: str) -> Json:
    """Return a scalar as the named JSON Schema type, or NO."""
    if name == "integer":
        return to_integer(value)
    if name == "number":
        return to_number(value)
    if name == "boolean":
        return to_boolean(value)
    if name == "string":
        return to_text(value)
    if name == "null":
        return None if is_nothing(value) else NO
    return NO


def to_integer(value: Json) -> Json:
    """Return the exact integer a text or a whole float stands for, or NO."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else NO
    text = _bare(value)
    if text is None:
        return NO
    if _INTEGER.fullmatch(text):
        return int(text)
    number = _decimal(text)
    return int(number) if number is not None and number == number.to_integral_value() else NO


def to_number(value: Json) -> Json:
    """Return the number a text stands for: an exact integer or a finite float, or NO."""
    text = _bare(value)
    if text is None:
        return NO
    if _INTEGER.fullmatch(text):
        return int(text)
    number = _decimal(text)
    if number is None:
        return NO
    near = float(number)
    if not math.isfinite(near):
        return NO
    is_whole = "e" not in text.lower() and number == number.to_integral_value()
    return int(number) if is_whole and number != Decimal(near) else near


def to_boolean(value: Json) -> Json:
    """Return the truth value that a word, 0 or 1 stands for, or NO."""
    if isinstance(value, (int, float)):
        return bool(value) if value in (0, 1) else NO
    word = (_bare(value) or "").lower()
    return True if word in _YES else False if word in _NOT else NO


def to_text(value: Json) -> Json:
    """Return a number or truth value as the text JSON has for it, or NO."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value.bit_length() < 13_000 else NO
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else NO
    return NO


def is_nothing(value: Json) -> bool:
    """Tell whether a text only says that there is no value: empty, ``null`` or ``None``."""
    return isinstance(value, str) and len(value) < 100 and value.strip().lower() in _NOTHING


def choose(options: Sequence[Json], value: Json) -> Json:
    """Return the one option a value names but for case, spaces, dashes or its type, or NO."""
    if isinstance(value, str):
        text = value if len(value) <= _MAX_WORD else ""
    elif value is None or isinstance(value, (int, float)):
        text = encode(value)
    else:
        return NO
    folded = _folded(_unquoted(text.strip()))
    if not folded:
        return NO
    found = [option for option in options if _option_folded(option) == folded]
    unique = [
        option for n, option in enumerate(found) if not any(same(option, o) for o in found[:n])
    ]
    return unique[0] if len(unique) == 1 else NO


def _option_folded(option: Json) -> str:
    if isinstance(option, str):
        return _folded(option)
    return _folded(encode(option)) if isinstance(option, (bool, int, float)) else ""


def _folded(text: str) -> str:
    sign = "-" if text.startswith("-") and text[1:2].isdigit() else ""
    return sign + re.sub(r"[-_\s]+", "", text).casefold()


def _bare(value: Json) -> str | None:
    return _unquoted(value.strip()) if isinstance(value, str) and len(value) <= 5_000 else None


def _unquoted(text: str) -> str:
    if len(text) > 2 and text[0] == text[-1] == '"':
        try:
            inner = decode(text)
        except NotJson:
            return text
        return inner.strip() if isinstance(inner, str) else text
    return text


def _decimal(text: str) -> Decimal | None:
    return Decimal(text) if _DECIMAL.fullmatch(text) else None
