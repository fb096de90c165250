"""Look into JSON that strangers send: what is not as expected reads as nothing."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.base.messages import Json


def at(value: Json, *keys: str) -> Json:
    """Return what stands under keys of nested objects, or None."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text(value: Json) -> str:
    """Return a text; anything else is empty."""
    return value if isinstance(value, str) else ""


def number(value: Json, *keys: str) -> int:
    """Return a count, or one under keys of nested objects; what is no count is 0."""
    value = at(value, *keys)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 2**63:
        return 0
    return int(value)


def objects(value: Json) -> Iterator[dict[str, Json]]:
    """Yield the objects of a list; anything else is passed over."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def first(value: Json) -> dict[str, Json]:
    """Return the first object of a list, or an empty one."""
    return next(objects(value), {})
