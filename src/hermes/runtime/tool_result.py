"""What a handler may return, and the two helpers that build a wire answer by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hermes.base.optional import load


class Part(NamedTuple):
    """A piece of a result that is not text: an image, a sound, a file; by path or by bytes."""

    type: str
    media_type: str
    path: str | None = None
    data: bytes | None = None
    name: str | None = None


class ToolResult(NamedTuple):
    """Say whether a tool succeeded, what it gives, and what a person or model should know."""

    success: bool = True
    output: Any = None
    error: str | None = None
    hint: str | None = None
    code: str = "tool_error"
    parts: tuple[Part, ...] = ()
    metadata: Mapping[str, Any] | None = None


def image(path: object = None, *, data: bytes | None = None, media_type: str = "image/png") -> Part:
    """Return an image part from a file or from bytes."""
    return Part("image", media_type, str(path) if path is not None else None, data)


def file(path: object, *, media_type: str = "application/octet-stream") -> Part:
    """Return a file part."""
    return Part("file", media_type, str(path))


def tool_result(data: Any = None, **fields: Any) -> str:
    """Return a success in the wire form: an object as it is, other values as ``{"result": …}``."""
    value = {**data, **fields} if isinstance(data, Mapping) else data
    if fields and not isinstance(data, Mapping):
        value = fields if data is None else {"result": data, **fields}
    if not isinstance(value, Mapping):
        value = {"result": value}
    return str(load("hermes.base.json").encode(value))


def tool_error(message: str, **extra: Any) -> str:
    """Return a failure in the wire form: ``{"error": …, "code": …}`` and whatever else is given."""
    fields = {"error": str(message), "code": "tool_error", **extra}
    return str(load("hermes.base.json").encode(fields))
