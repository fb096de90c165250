"""Turn the answer of a call into what MCP clients show: text, structure, pictures, sounds."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hermes.base import json
from hermes.base.optional import load
from hermes.mcp.serving.wire import Wire, is_since

RESULTS = "hermes://results/"
"""Where the whole of an answer can be read that was too long."""
CODE_KEY = "hermes/code"
_MOST_BYTES = 20_000_000
_PLAIN_FAULT = frozenset({"error", "code", "hint"})
_LINKS_SINCE = "2025-06-18"
_AUDIO_SINCE = "2025-03-26"
_STRUCTURE_SINCE = "2025-06-18"
_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"ID3", "audio"),
    (b"\xff\xfb", "audio"),
    (b"OggS", "audio"),
    (b"fLaC", "audio"),
)


class Shape(NamedTuple):
    """How an answer is shown: for which version, and what is known of its tool."""

    version: str
    schema: Mapping[str, Any] | None = None
    """How the tool promises that its answers are built."""
    places: Sequence[str] = ()
    """Folders below which pictures and sounds may be read that an answer names by path."""


def shaped(answer: str, shape: Shape) -> Wire:
    """Return the result of a tool's call."""
    value: dict[str, Any] = json.decode(answer)
    if answer[:10] == '{"error":"':
        return _fault(value, answer)
    parts = value.pop("parts") if isinstance(value.get("parts"), list) else []
    blocks = [_block(part, shape) for part in parts if isinstance(part, dict)]
    is_wrapped = len(value) == 1 and "result" in value
    inner = value["result"] if is_wrapped else value
    if not blocks or (inner is not None and inner != {}):
        blocks.insert(0, {"type": "text", "text": _text(inner)})
    if isinstance(value.get("truncated"), dict):
        blocks += _whole(value["truncated"], shape.version)
    found: Wire = {"content": blocks}
    is_text = is_wrapped and (inner is None or isinstance(inner, str))
    if (shape.schema or not is_text) and is_since(shape.version, _STRUCTURE_SINCE):
        found["structuredContent"] = _promised(value, shape.schema or {})
    return found


def _promised(value: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what a schema rules out: notes of ours, such as who said it, or that it was cut."""
    if schema.get("additionalProperties") is not False:
        return value
    known = schema.get("properties") or {}
    return {key: each for key, each in value.items() if key in known}


def _fault(value: dict[str, Any], answer: str) -> Wire:
    """Errors are told in plain words; what else a tool said of one is kept, as JSON."""
    text = str(value.get("error", ""))
    if hint := value.get("hint"):
        text = f"{text}\n{hint}"
    if answer and not value.keys() <= _PLAIN_FAULT:
        text = answer
    found: Wire = {"content": [{"type": "text", "text": text}], "isError": True}
    if code := value.get("code"):
        found["_meta"] = {CODE_KEY: code}
    return found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.encode(value)


def _block(part: dict[str, Any], shape: Shape) -> Wire:
    """Return what a client is shown of a part that is not text."""
    kind, media_type = part.get("type"), str(part.get("media_type") or "application/octet-stream")
    uri = str(part.get("uri") or part.get("name") or "")
    if kind in ("link", "resource_link") and uri:
        return _link(uri, str(part.get("name") or uri), media_type, shape.version)
    data = part.get("data")
    if not isinstance(data, str):
        data = _read(part.get("path"), str(kind), shape.places)
    if data is None:
        return {"type": "text", "text": json.encode(part)}
    if kind == "image" or (kind == "audio" and is_since(shape.version, _AUDIO_SINCE)):
        return {"type": kind, "data": data, "mimeType": media_type}
    held: Wire = {"uri": uri or "hermes://part", "mimeType": media_type}
    text = _readable(data, media_type)
    return {
        "type": "resource",
        "resource": {**held, "blob": data} if text is None else {**held, "text": text},
    }


def _read(path: object, kind: str, places: Sequence[str]) -> str | None:
    """Return a picture or sound in base64, if it is one and lies below one of the places.

    An answer may be the words of a stranger, who must not choose files of this machine.
    """
    if kind not in ("image", "audio") or not isinstance(path, str):
        return None
    paths = load("pathlib")
    try:
        real = paths.Path(path).resolve(strict=True)
        if not any(real.is_relative_to(paths.Path(place).resolve()) for place in places):
            return None
        if not real.is_file() or real.stat().st_size > _MOST_BYTES:
            return None
        content: bytes = real.read_bytes()
    except (OSError, ValueError):
        return None
    return base64.b64encode(content).decode() if _kind(content) == kind else None


def _kind(content: bytes) -> str:
    """Return what a content really is, by its first bytes."""
    for start, kind in _STARTS:
        if content.startswith(start):
            return kind
    if content[:4] == b"RIFF":
        return {b"WEBP": "image", b"WAVE": "audio"}.get(content[8:12], "")
    return ""


def _readable(data: str, media_type: str) -> str | None:
    if not (media_type.startswith("text/") or media_type in ("application/json", "image/svg+xml")):
        return None
    try:
        return base64.b64decode(data).decode()
    except (ValueError, UnicodeError):
        return None


def _whole(cut: dict[str, Any], version: str) -> list[Wire]:
    """Return a link to the whole of an answer that had to be cut."""
    path = cut.get("path")
    if not isinstance(path, str):
        return []
    name = os.path.basename(path)  # noqa: PTH119 - a start loads no pathlib
    media_type = "application/json" if name.endswith(".json") else "text/plain"
    return [_link(f"{RESULTS}{name}", name, media_type, version)]


def _link(uri: str, name: str, media_type: str, version: str) -> Wire:
    if not is_since(version, _LINKS_SINCE):
        return {"type": "text", "text": f"{name}: {uri}"}
    return {"type": "resource_link", "uri": uri, "name": name, "mimeType": media_type}
