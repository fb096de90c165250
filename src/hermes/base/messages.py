"""What travels: JSON values, and a call."""

from __future__ import annotations

from typing import Any, NamedTuple

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict of those."""


class ToolCall(NamedTuple):
    """Ask for one tool by name; arguments are an object or, as models send them, JSON text."""

    id: str
    name: str
    arguments: Json


_NESTED = (dict, list)


def own(value: Any) -> Any:
    """Return a copy of JSON values that shares no list or object with the original."""
    if type(value) is list:
        return [own(item) if type(item) in _NESTED else item for item in value]
    if type(value) is not dict:
        return value
    copy = dict(value)
    for key, item in copy.items():
        if type(item) in _NESTED:
            copy[key] = own(item)
    return copy
