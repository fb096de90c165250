"""Turn the messages of a session into what a model reads."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hermes.base.text import head_and_tail

Message = Mapping[str, Any]
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_TEXTS = ("text/markdown", "text/latex", "text/html", "image/svg+xml", "application/json")
_SHOWN = ("execute_result", "display_data", "update_display_data")
_MOST_IMAGES = 8
_LARGEST_IMAGE = 4 << 20
_LONGEST = 60_000
_LONGEST_VALUE = 20_000
_LONGEST_TRACE = 8_000
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_OBJECT = re.compile(r"<[\w.]+ object( at 0x[0-9a-f]+)?>")


@dataclass(slots=True)
class Cell:
    """What came of a cell."""

    answer: dict[str, Any] = field(default_factory=dict)
    images: list[tuple[str, bytes]] = field(default_factory=list)
    """Media types, and the bytes."""


def shown(messages: Iterable[Message]) -> Cell:
    """Return what a cell printed, showed and gave, in the order it came."""
    cell = Cell()
    printed: list[str] = []
    for message in messages:
        _take(message, cell, printed)
    if output := _ESCAPE.sub("", "".join(printed)).replace("\r\n", "\n"):
        cell.answer["output"] = head_and_tail(output, _LONGEST)
    if cell.images:
        cell.answer["images"] = len(cell.images)
    return cell


def _take(message: Message, cell: Cell, printed: list[str]) -> None:
    kind = message.get("kind")
    if kind == "stream":
        printed.append(str(message.get("text", "")))
    elif kind == "clear_output":
        printed.clear()
    elif kind == "done":
        cell.answer |= _ended(message)
    elif kind in _SHOWN and (text := _rich(message, cell)):
        if kind == "execute_result":
            cell.answer["value"] = head_and_tail(text, _LONGEST_VALUE)
        else:
            printed.append(f"{text}\n")


def _rich(message: Message, cell: Cell) -> str:
    """Return the text of a value; an image of it goes to the others."""
    data = message.get("data")
    if not isinstance(data, Mapping):
        return ""
    is_seen = any(_image(kind, data.get(kind), cell) for kind in _IMAGES if kind in data)
    plain = _text(data.get("text/plain"))
    if is_seen:
        return "" if plain.startswith("<") else plain
    if not plain or _OBJECT.fullmatch(plain):
        return next((_text(data[kind]) for kind in _TEXTS if kind in data), plain)
    return plain


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _image(kind: str, value: Any, cell: Cell) -> bool:
    try:
        content = base64.b64decode(value, validate=False)
    except (TypeError, ValueError, binascii.Error):
        return False
    if len(cell.images) >= _MOST_IMAGES or len(content) > _LARGEST_IMAGE:
        cell.answer["images_left_out"] = cell.answer.get("images_left_out", 0) + 1
    else:
        cell.images.append((kind, content))
    return True


def _ended(message: Message) -> dict[str, Any]:
    told: dict[str, Any] = {"status": message.get("status"), "count": message.get("count")}
    if told["status"] == "error":
        name, said = message.get("ename"), message.get("evalue")
        told["exception"] = head_and_tail(f"{name}: {said}" if said else str(name), 2_000)
        lines = "\n".join(map(str, message.get("traceback") or ())).strip().strip("-").strip()
        if lines:
            told["traceback"] = head_and_tail(_ESCAPE.sub("", lines), _LONGEST_TRACE)
    return told
