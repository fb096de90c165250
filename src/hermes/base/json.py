"""JSON in and out: exact numbers in, always valid text out."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import enum
import math
import uuid
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

import msgspec

from hermes.base.messages import Json

encode_simple = msgspec.json.Encoder(enc_hook=lambda value: plain(value)).encode
"""Encode what JSON can say; anything else raises one of `UNSAYABLE`."""
UNSAYABLE = (TypeError, ValueError, RecursionError, UnicodeError, OverflowError)
_decode = msgspec.json.Decoder().decode
_MAX_DEPTH = 64
_MAX_ITEMS = 100_000


class NotJson(ValueError):
    """The text is not one JSON value."""


def encode(value: Json) -> str:
    """Return compact JSON text for any Python value; what JSON cannot say is described in words."""
    return encode_bytes(value).decode()


def encode_bytes(value: Json) -> bytes:
    """Return compact JSON as bytes."""
    try:
        return encode_simple(value)
    except UNSAYABLE:
        return encode_simple(plain(value))


def decode(text: str | bytes) -> Json:
    """Return the one JSON value in a text, with integers of any size exact.

    Raises:
        NotJson: the text is not JSON; the message says where.
    """
    try:
        return _decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError) as error:
        raise NotJson(str(error)) from error


def plain(value: Any, depth: int = 0, seen: frozenset[int] = frozenset()) -> Json:
    """Return the nearest JSON value: cycles, strange numbers, bytes and objects made harmless."""
    match value:
        case None | bool() | int():
            return _scalar_int(value)
        case float():
            return value if math.isfinite(value) else None
        case str():
            return value.encode("utf-8", "replace").decode()
        case bytes() | bytearray() | memoryview():
            return _bytes(bytes(value))
        case enum.Enum():
            return plain(value.value, depth, seen)
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
        case PurePath() | uuid.UUID():
            return str(value)
    if id(value) in seen:
        return "<cycle>"
    if depth >= _MAX_DEPTH:
        return "<nested too deeply>"
    return _container(value, depth + 1, seen | {id(value)})


def _scalar_int(value: Any) -> Json:
    return value if value is None or isinstance(value, bool) else int(value)


def _bytes(value: bytes) -> Json:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode(), "bytes": len(value)}


def _container(value: Any, depth: int, seen: frozenset[int]) -> Json:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {field.name: plain(getattr(value, field.name), depth, seen) for field in fields}
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name), depth, seen) for name in value.__struct_fields__}
    if isinstance(value, Mapping):
        return {_key(key): plain(item, depth, seen) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item, depth, seen) for item in value]
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return plain(dump(mode="json"), depth, seen)
    if isinstance(value, Iterable) and not isinstance(value, type):
        return _drained(value, depth, seen)
    return repr(value).encode("utf-8", "replace").decode()


def _drained(value: Iterable[Any], depth: int, seen: frozenset[int]) -> list[Json]:
    items: list[Json] = []
    for item in value:
        if len(items) >= _MAX_ITEMS:
            items.append(f"<stopped after {_MAX_ITEMS:,} items>")
            break
        items.append(plain(item, depth, seen))
    return items


def _key(key: Any) -> str:
    text = key if isinstance(key, str) else str(plain(key))
    return text.encode("utf-8", "replace").decode()


def pretty(value: Json) -> str:
    """Return JSON text with indentation, for people."""
    return msgspec.json.format(encode(value), indent=2)
