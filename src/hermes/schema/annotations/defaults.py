"""Write default values of Python parameters as JSON."""

from __future__ import annotations

import binascii
import math
import sys
from collections.abc import Iterable
from enum import Enum, Flag
from typing import Any

from hermes.schema.annotations.plain import MISSING

_WORDED = frozenset(
    ("uuid.UUID", "decimal.Decimal", "ipaddress.IPv4Address", "ipaddress.IPv6Address")
)


def named_by_value(kind: type[Enum]) -> bool:
    """Say whether the members' values are JSON scalars; otherwise the model is shown names."""
    return issubclass(kind, Flag) or all(
        isinstance(member.value, (str, int, float, type(None))) for member in kind
    )


def as_json(value: Any) -> Any:
    """Return the JSON form of a value, or MISSING when it has none."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return as_json(value.value) if named_by_value(type(value)) else value.name
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else MISSING
    return _collected(value) if isinstance(value, _COLLECTIONS) else _object(value)


_COLLECTIONS = (dict, list, tuple, set, frozenset)


def _collected(value: Any) -> Any:
    if isinstance(value, dict):
        return _keyed(value.items())
    if hasattr(value, "_fields"):
        return _keyed(zip(value._fields, value, strict=True))
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)
    plain = [as_json(item) for item in value]
    return MISSING if any(item is MISSING for item in plain) else plain


def _keyed(pairs: Iterable[tuple[Any, Any]]) -> Any:
    result = {}
    for key, item in pairs:
        name, plain = as_json(key), as_json(item)
        if plain is MISSING or name is MISSING:
            return MISSING
        result[name if isinstance(name, str) else str(name)] = plain
    return result


def _object(value: Any) -> Any:
    kind = type(value)
    if isinstance(value, type):
        return MISSING
    if isinstance(value, (bytes, bytearray)):
        return binascii.b2a_base64(value, newline=False).decode()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "total_seconds"):
        return value.total_seconds()
    if hasattr(value, "__fspath__") or f"{kind.__module__}.{kind.__qualname__}" in _WORDED:
        return str(value)
    if f"{kind.__module__}.{kind.__qualname__}" == "re.Pattern":
        return value.pattern
    return _record(value)


def _record(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if hasattr(value, "__struct_fields__"):
        return as_json(sys.modules["msgspec"].to_builtins(value))
    if hasattr(value, "__dataclass_fields__"):
        return _keyed((name, getattr(value, name, MISSING)) for name in value.__dataclass_fields__)
    return MISSING
