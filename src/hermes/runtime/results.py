"""Shape what a handler gave into one JSON object that a model can take."""

from __future__ import annotations

import base64
import itertools
import logging
import re
import secrets
from pathlib import Path
from typing import Any, NamedTuple

from hermes.base import json
from hermes.base.errors import HermesError, ToolError
from hermes.base.files import private_folder, write_atomic
from hermes.base.json import encode_simple
from hermes.base.messages import Json
from hermes.base.redact import Redactor
from hermes.base.text import harmless
from hermes.runtime.fit import fit
from hermes.runtime.tool_result import Part, ToolResult

_log = logging.getLogger("hermes.results")
_INLINE_BYTES = 4_096
_TINY = 400
_ERROR = '{"error":"'
"""How an answer begins that a handler built itself with tool_error()."""
_SIMPLE = frozenset({int, float, bool, list, tuple, type(None)})
_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}


Answer = tuple[str, str]
"""A shaped result: the JSON text, and ``ok`` or the code of the error that it tells."""


class Limits(NamedTuple):
    """How many characters a result, and all results of one message, may have."""

    per_result: int = 100_000
    per_turn: int = 200_000

    def scaled(self, context_tokens: int) -> Limits:
        """Return limits that fit a model's context: 15 and 30 per cent of it, with floors."""
        if context_tokens <= 0:
            return self
        chars = context_tokens * 4
        return Limits(
            min(self.per_result, max(8_000, chars * 15 // 100)),
            min(self.per_turn, max(16_000, chars * 30 // 100)),
        )


class Store:
    """Keep whole results, out of the model's sight but within reach of its file tools."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, call_id: str, content: str | bytes, suffix: str) -> Path | None:
        """Write a result's content to a file of its own; None when the disk refuses."""
        name = re.sub(r"[^\w.-]", "_", call_id)[:60] or "result"
        path = self.folder / f"{name}-{secrets.token_hex(3)}{suffix}"
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        try:
            private_folder(self.folder)
            write_atomic(path, data)
        except OSError as error:
            _log.warning("a result could not be saved to %s: %s", path, error)
            return None
        return path


class Shaper:
    """Turn values and errors into answers, redacted and within their limits."""

    def __init__(self, store: Store, redactor: Redactor) -> None:
        self._store = store
        self._redactor = redactor

    def success(self, value: Any, call_id: str, limit: int) -> Answer:
        """Return the answer for a handler's value; a failed ToolResult becomes an error."""
        kind = type(value)
        is_simple = kind in _SIMPLE or (kind is str and value[:1] != "{")
        if is_simple:
            try:
                data = encode_simple({"result": value})
            except json.UNSAYABLE:
                data = json.encode_bytes({"result": value})
        elif kind is ToolResult:
            if not value.success:
                return self.failure(_as_error(value), call_id, limit)
            data = _wire(self._unpacked(value, call_id))
        else:
            data = _wire(value)
        if self._redactor.suspect(data) is not None:
            data = json.encode_bytes(self._redactor.value(json.decode(data)))
        content = data.decode()
        if len(content) > limit:
            content = self.cut(content, call_id, limit)
        if is_simple:
            return content, "ok"
        failed = content[:10] == _ERROR or (kind is dict and value.get("success") is False)
        return content, ("tool_error" if failed else "ok")

    def clean(self, value: Json) -> Json:
        """Return a JSON value with its secrets replaced."""
        return self._redactor.value(value)

    def failure(self, error: HermesError, call_id: str = "", limit: int = 100_000) -> Answer:
        """Return the answer for an error that speaks to the model."""
        fields = {"error": harmless(error.message) or "it failed", "code": error.code}
        if error.hint:
            fields["hint"] = harmless(error.hint)
        if isinstance(error, ToolError):
            fields.update({key: value for key, value in error.extra.items() if value is not None})
        content = json.encode(self._redactor.value(json.plain(fields)))
        return self.cut(content, call_id, limit) if len(content) > limit else content, error.code

    def cut(self, content: str, call_id: str, limit: int) -> str:
        """Cut inside the content until it fits, and save the whole where it can be read on."""
        value = json.decode(content)
        earlier = value.pop("truncated", None)
        kept = fit(value, max(limit - _TINY, _TINY))
        if isinstance(earlier, dict) and "chars" in earlier:
            return json.encode({**kept, "truncated": earlier})
        text = _main_text(value)
        whole, suffix = (text, ".txt") if text is not None else (_indented(value), ".json")
        path = self._store.save(call_id, whole, suffix)
        note: dict[str, Json] = {"chars": len(content)}
        if path is None:
            note["hint"] = "The whole could not be saved; ask for less at once."
        else:
            note.update(path=str(path), next_offset=_next_line(text, kept) if text else 1)
            note["hint"] = "The whole is in this file; read on there from next_offset (a line)."
        return json.encode({**kept, "truncated": note})

    def _unpacked(self, result: ToolResult, call_id: str) -> Json:
        if not result.parts and not result.metadata:
            return result.output
        body = result.output if isinstance(result.output, dict) else {"result": result.output}
        extra: dict[str, Json] = dict(result.metadata or {})
        if result.parts:
            extra["parts"] = [self._part(part, call_id) for part in result.parts]
        return {**body, **extra}

    def _part(self, part: Part, call_id: str) -> Json:
        fields: dict[str, Json] = {"type": part.type, "media_type": part.media_type}
        if part.name:
            fields["name"] = part.name
        if part.data is None:
            return {**fields, "path": part.path}
        fields["bytes"] = len(part.data)
        if len(part.data) > _INLINE_BYTES:
            path = self._store.save(call_id, part.data, _SUFFIXES.get(part.media_type, ".bin"))
            if path is not None:
                return {**fields, "path": str(path)}
        return {**fields, "data": base64.b64encode(part.data).decode()}


def _as_error(result: ToolResult) -> ToolError:
    extra = dict(result.metadata or {})
    if result.output is not None:
        extra["output"] = result.output
    message = result.error or "the tool reported a failure without saying why"
    return ToolError(message, hint=result.hint, code=result.code, **extra)


def _wire(value: Any) -> bytes:
    kind = type(value)
    if kind is dict:
        return json.encode_bytes(value)
    if kind in _SIMPLE:
        return json.encode_bytes({"result": value})
    if kind is str:
        return value.encode() if _is_object(value) else json.encode_bytes({"result": value})
    plain = json.plain(value)
    return json.encode_bytes(plain if isinstance(plain, dict) else {"result": plain})


def _is_object(text: str) -> bool:
    """Whether a text already is a JSON object, as tool_result() and raw handlers give it."""
    if not (text.startswith("{") and text.endswith("}")):
        return False
    try:
        return isinstance(json.decode(text), dict)
    except json.NotJson:
        return False


def _main_text(value: dict[str, Json]) -> str | None:
    """Return the one long text that makes a result long, if there is one."""
    texts = [item for item in value.values() if isinstance(item, str)]
    longest = max(texts, key=len, default="")
    return longest if len(longest) > len(json.encode(value)) // 2 else None


def _indented(value: Json) -> str:
    return "\n".join(_lines(value)) if isinstance(value, list) else json.pretty(value)


def _lines(items: list[Json]) -> list[str]:
    return [json.encode(item) for item in items]


def _next_line(text: str, kept: Json) -> int:
    """Return the line at which the shown head of a text breaks off."""
    shown = _main_text(kept) or ""
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(text, shown, strict=False))
    return sum(left == "\n" for left, _ in same) + 1
