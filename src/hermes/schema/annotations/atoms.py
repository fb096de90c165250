"""Python types written as one JSON string or number: dates, paths, identifiers, bytes, enums."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable
from enum import Enum, Flag
from typing import Any

from hermes.schema.annotations.conversion import Form, shown
from hermes.schema.annotations.defaults import named_by_value
from hermes.schema.annotations.plain import BadAnnotation, Convert, Schema, fixed

_DECIMAL = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
# Known by name: a program that never imports uuid or decimal does not pay for them here.
_KNOWN: dict[str, tuple[Schema, str]] = {
    "datetime.datetime": (
        {"type": "string", "format": "date-time"},
        "a date and time such as 2026-01-31T09:30:00Z",
    ),
    "datetime.date": ({"type": "string", "format": "date"}, "a date such as 2026-01-31"),
    "datetime.time": ({"type": "string", "format": "time"}, "a time such as 09:30:00"),
    "datetime.timedelta": ({"type": "number", "format": "seconds"}, "a number of seconds"),
    "uuid.UUID": (
        {"type": "string", "format": "uuid"},
        "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
    ),
    "decimal.Decimal": ({"type": ["string", "number"], "pattern": _DECIMAL}, "a decimal number"),
    "re.Pattern": ({"type": "string", "format": "regex"}, "a regular expression"),
    "ipaddress.IPv4Address": ({"type": "string", "format": "ipv4"}, "an IPv4 address"),
    "ipaddress.IPv6Address": ({"type": "string", "format": "ipv6"}, "an IPv6 address"),
    "builtins.bytes": ({"type": "string", "contentEncoding": "base64"}, "base64 text"),
    "builtins.bytearray": ({"type": "string", "contentEncoding": "base64"}, "base64 text"),
}
_BASES: dict[type, str] = {str: "string", int: "integer", float: "number"}
_URL_SAFE = str.maketrans("-_", "+/")


def atom(kind: type) -> Form | None:
    """Return the form of a class that is one JSON string or number, or None when it is not."""
    if issubclass(kind, Enum):
        return _enum(kind)
    known = _KNOWN.get(f"{kind.__module__}.{kind.__qualname__}")
    if known:
        schema, expected = known
        return Form(dict(schema), _reading(kind, _reader(kind), expected))
    if hasattr(kind, "__fspath__"):
        return Form({"type": "string", "format": "path"}, _reading(kind, _path(kind), "a path"))
    for base, name in _BASES.items():
        if issubclass(kind, base):
            return Form({"type": name}, _reading(kind, kind, f"a {kind.__name__}"))
    return None


def _reader(kind: Any) -> Convert:
    match kind.__name__:
        case "datetime" | "date" | "time":
            return lambda value: kind.fromisoformat(value)
        case "timedelta":
            return lambda value: kind(seconds=value)
        case "Decimal":
            return lambda value: _finite(kind(str(value)))
        case "Pattern":
            return lambda value: re.compile(value)
        case "bytes" | "bytearray":
            return lambda value: kind(_unpacked(value))
    return lambda value: kind(_text(value))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a string")
    return value


def _unpacked(value: Any) -> bytes:
    packed = _text(value).translate(_URL_SAFE).encode("ascii")
    return binascii.a2b_base64(packed + b"=" * (-len(packed) % 4), strict_mode=True)


def _finite(value: Any) -> Any:
    if not value.is_finite():
        raise ValueError("not finite")
    return value


def _path(kind: Any) -> Convert:
    if kind.__module__ == "os":
        raise BadAnnotation("os.PathLike names no class to build", "Annotate it with Path.")
    return lambda value: kind(_text(value))


def _reading(kind: type, read: Convert, expected: str) -> Convert:
    def convert(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        try:
            return read(value)
        except (TypeError, ValueError, ArithmeticError, re.error) as error:
            raise ValueError(f"{shown(value)} is not {expected}") from error

    return convert


def _enum(kind: type[Enum]) -> Form:
    if issubclass(kind, Flag):
        return Form({"type": "integer"}, _reading(kind, kind, f"a {kind.__name__}"))
    members = {member.name: member for member in kind}
    if not members:
        raise BadAnnotation(f"the enum {kind.__name__} has no members", "Give it members.")
    if named_by_value(kind):
        values = [member.value for member in members.values()]
        return Form(fixed(values), _reading(kind, kind, f"one of {_listed(values)}"))
    read = _reading(kind, lambda name: _member(members, name), f"one of {_listed(members)}")
    return Form(fixed(members), read)


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(repr, values))


def _member(members: dict[str, Enum], name: Any) -> Enum:
    if not isinstance(name, str) or name not in members:
        raise ValueError(name)
    return members[name]


def literal(values: tuple[Any, ...]) -> Form:
    """Return the form of ``Literal[…]``; enum members among its values are made from theirs."""
    plain: list[Any] = []
    members: list[tuple[Any, Enum]] = []
    for value in values:
        if isinstance(value, Enum):
            json = value.value if named_by_value(type(value)) else value.name
            members.append((json, value))
            plain.append(json)
        elif value is None or isinstance(value, (str, int)):
            plain.append(value)
        else:
            raise BadAnnotation(
                f"Literal[{value!r}] has no JSON form", "Use text, numbers, booleans or None."
            )
    if not members:
        return Form(fixed(plain))

    def convert(value: Any) -> Any:
        for json, member in members:
            if json == value and type(json) is type(value):
                return member
        return value

    return Form(fixed(plain), convert)
