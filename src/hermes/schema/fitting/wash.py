"""Make sure that a value is JSON, so that a validator in another language reads it as meant."""

from __future__ import annotations

import math

from hermes.base.messages import Json
from hermes.schema.fitting.words import Path, place, shown

MAX_DEPTH = 200
_MAX_NODES = 5_000_000
_MAX_BITS = 13_000
_MAX_FAULTS = 20

Fault = tuple[Path, str]
"""Where something is not JSON, and a sentence that says so."""


def wash(value: Json) -> tuple[Json, list[Fault]]:
    """Return the value as a validator can read it, and what in it is not JSON at all.

    Tuples become lists and lone surrogates are replaced; a clean value is returned itself.
    """
    if _is_clean(value):
        return value, []
    faults: list[Fault] = []
    return _washed(value, (), faults), faults


def _is_clean(value: Json) -> bool:
    """Tell whether a value is plain JSON of bounded depth, without recursion."""
    waiting: list[tuple[Json, int]] = [([value], -1)]
    nodes = 0
    while waiting:
        container, depth = waiting.pop()
        nodes += len(container)
        if depth >= MAX_DEPTH or nodes > _MAX_NODES:
            return False
        if isinstance(container, dict) and not all(map(_is_clean_key, container)):
            return False
        for item in container.values() if isinstance(container, dict) else container:
            if type(item) is list or type(item) is dict:
                waiting.append((item, depth + 1))
            elif not _is_clean_scalar(item):
                return False
    return True


def _is_clean_key(key: Json) -> bool:
    return type(key) is str and (key.isascii() or _is_encodable(key))


def _is_clean_scalar(value: Json) -> bool:
    if type(value) is str:
        return value.isascii() or _is_encodable(value)
    if type(value) is int:
        return value.bit_length() <= _MAX_BITS
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) is bool


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _washed(value: Json, path: Path, faults: list[Fault]) -> Json:
    if len(faults) >= _MAX_FAULTS:
        return None
    if len(path) > MAX_DEPTH:
        faults.append((path[:3], f"{_name(path[:3])}: nested more than {MAX_DEPTH} levels deep"))
        return None
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, (list, tuple)):
        return [_washed(item, (*path, index), faults) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {
            _washed_key(key, path, faults): _washed(item, (*path, str(key)), faults)
            for key, item in value.items()
        }
    if _is_clean_scalar(value):
        return value
    words = "a number that JSON can hold" if isinstance(value, (int, float)) else "a JSON value"
    faults.append((path, f"{_name(path)}: given {shown(value)}, expected {words}"))
    return None


def _washed_key(key: Json, path: Path, faults: list[Fault]) -> str:
    if isinstance(key, str):
        return key.encode("utf-8", "replace").decode()
    faults.append((path, f"{_name(path)}: the key {shown(key)} is not a string"))
    return shown(key)


def _name(path: Path) -> str:
    return repr(place(path)) if path else "arguments"
