"""Images and sounds in the answers of tools, as a model can look at them."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from hermes.base import json
from hermes.base.messages import Json, Media

_MOST_BYTES = 8_000_000
_MOST_PARTS = 8
_KINDS: dict[str, Literal["image", "audio"]] = {"image": "image", "audio": "audio"}
_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
)


class Shown(NamedTuple):
    """An answer whose images and sounds stand beside its text."""

    text: str
    media: tuple[Media, ...] = ()


def shown(text: str, places: Sequence[str]) -> Shown:
    """Take the images and sounds out of an answer.

    Files are read only below ``places``, and only when they are what they are said to be: an
    answer may be the words of a stranger, who must not choose files of this machine.
    """
    if '"parts"' not in text:
        return Shown(text)
    try:
        value = json.decode(text)
    except json.NotJson:
        return Shown(text)
    parts = value.get("parts") if isinstance(value, dict) else None
    if not isinstance(parts, list):
        return Shown(text)
    found: list[Media] = []
    kept: list[Json] = []
    for part in parts:
        media = _media(part, places) if len(found) < _MOST_PARTS else None
        if media is not None:
            found.append(media)
            part = {key: given for key, given in part.items() if key != "data"}
            part["shown"] = True
        kept.append(part)
    return Shown(json.encode({**value, "parts": kept}), tuple(found)) if found else Shown(text)


def _media(part: Json, places: Sequence[str]) -> Media | None:
    if not isinstance(part, dict) or part.get("type") not in _KINDS:
        return None
    data = part.get("data")
    content = _decoded(data) if isinstance(data, str) else _read(part.get("path"), places)
    type_ = _type(content) if content else None
    kind = _KINDS[part["type"]]
    if content is None or type_ is None or not type_.startswith(kind):
        return None
    return Media(kind, type_, base64.b64encode(content).decode())


def _decoded(data: str) -> bytes | None:
    if len(data) > _MOST_BYTES * 4 // 3:
        return None
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:
        return None


def _read(path: object, places: Sequence[str]) -> bytes | None:
    """Return a file's bytes when it really lies below one of the places and is small enough."""
    if not isinstance(path, str) or not os.path.isabs(path):  # noqa: PTH117 - as a tool gave it
        return None
    try:
        real = Path(path).resolve(strict=True)
        if not any(real.is_relative_to(Path(place).resolve()) for place in places):
            return None
        if not real.is_file() or real.stat().st_size > _MOST_BYTES:
            return None
        return real.read_bytes()
    except (OSError, ValueError):
        return None


def _type(content: bytes) -> str | None:
    """Return what a content really is, by its first bytes."""
    for start, type_ in _STARTS:
        if content.startswith(start):
            return type_
    if content[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(content[8:12])
    return None
