"""Speak the messages API of Anthropic."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hermes.base.messages import Json, Media, Message
from hermes.llm import values
from hermes.llm.anthropic_answer import PROTOCOL, MessagesReader
from hermes.llm.catalog import Facts
from hermes.llm.contract import Request
from hermes.llm.conversation import arguments_of, cannot_send, safe_id, safe_name, system_of

VERSION = "2023-06-01"
_UNKNOWN_OUTPUT = 8_192
_MOST_OUTPUT = 32_000
_CACHED = {"type": "ephemeral"}
_CHOICES = {"auto": "auto", "none": "none", "required": "any"}
_NUMBERED = re.compile(r"claude-[a-z]+-(\d{1,2})(?:[.-](\d{1,2})(?!\d))?")
_ADAPTIVE = (4, 6)
"""The first release that decides by itself how long to think."""
_NO_SAMPLING = (4, 7)
"""The first release that refuses a temperature."""


class Messages:
    """Write questions and read answers of one model in this protocol."""

    optional = ("thinking", "output_config", "effort", "tool_choice", "temperature")

    def __init__(self, model: str, facts: Facts, *, effort: str = "") -> None:
        self._model = model
        self._facts = facts
        self._effort = effort
        found = _NUMBERED.search(model)
        self._release = (int(found[1]), int(found[2] or 0)) if found else (0, 0)

    def path(self) -> str:
        """Return where questions go, beneath the service's address."""
        return "v1/messages"

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers that carry the key and the version."""
        return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}

    def body(self, request: Request, without: frozenset[str]) -> dict[str, Json]:
        """Return a question as the service takes it, without some of the optional parts."""
        body: dict[str, Json] = {
            "model": self._model,
            "max_tokens": request.max_tokens or self._longest(),
            "messages": self._messages(request.messages),
            "stream": True,
        }
        system = system_of(request.messages)
        if system:
            body["system"] = [{"type": "text", "text": system, "cache_control": _CACHED}]
        if request.definitions:
            body["tools"] = [_definition(one) for one in request.definitions]
            body["tool_choice"] = {"type": _CHOICES[request.tool_choice]}
        if request.stop:
            body["stop_sequences"] = list(request.stop)
        if request.temperature is not None and self._release < _NO_SAMPLING:
            body["temperature"] = request.temperature
        if self._release >= _ADAPTIVE and request.tool_choice != "required":
            body["thinking"] = {"type": "adaptive", "display": "summarized"}
        if self._effort and "effort" not in without:
            body["output_config"] = {"effort": self._effort}
        return {name: value for name, value in body.items() if name not in without}

    def _longest(self) -> int:
        """Return how long an answer may be; the service wants it said."""
        return min(self._facts.output or _UNKNOWN_OUTPUT, _MOST_OUTPUT)

    def reader(self) -> MessagesReader:
        """Return what reads one answer."""
        return MessagesReader(self._model, self._facts.price)

    def _messages(self, messages: Iterable[Message]) -> list[Json]:
        """Return the conversation, neighbours of one side joined, its last parts to be cached."""
        sent: list[dict[str, Json]] = []
        for message in messages:
            if message.role == "system":
                continue
            role = "assistant" if message.role == "assistant" else "user"
            blocks = self._blocks(message)
            if not blocks:
                continue
            if sent and sent[-1]["role"] == role:
                sent[-1]["content"] += blocks
            else:
                sent.append({"role": role, "content": blocks})
        for one in [one for one in sent if one["role"] == "user"][-2:]:
            one["content"][-1] = {**one["content"][-1], "cache_control": _CACHED}
        return list(sent)

    def _blocks(self, message: Message) -> list[Json]:
        if message.role == "tool":
            return [_result(message)]
        if message.role == "user":
            return _parts(message)
        kept = self._kept(message)
        if kept:
            return kept
        calls: list[Json] = [
            {
                "type": "tool_use",
                "id": safe_id(call.id),
                "name": safe_name(call.name),
                "input": arguments_of(call),
            }
            for call in message.calls
        ]
        return [*_text(message.text), *calls]

    def _kept(self, message: Message) -> list[Json]:
        """Return the blocks as they came, with their signatures, if they are still the same."""
        kept = message.extra.get(PROTOCOL)
        if not isinstance(kept, dict) or kept.get("model") != self._model:
            return []
        blocks = list(values.objects(kept.get("blocks")))
        ids = [block.get("id") for block in blocks if block.get("type") == "tool_use"]
        said = "".join(values.text(b.get("text")) for b in blocks if b.get("type") == "text")
        is_same = ids == [call.id for call in message.calls] and _letters(said) == _letters(
            message.text
        )
        return list(blocks) if is_same else []


def _definition(definition: Json) -> Json:
    function = values.at(definition, "function")
    return {
        "name": values.at(function, "name"),
        "description": values.text(values.at(function, "description")),
        "input_schema": values.at(function, "parameters") or {"type": "object", "properties": {}},
    }


def _letters(text: str) -> str:
    return "".join(text.split())


def _text(text: str) -> list[Json]:
    """Return a text as blocks; one without a letter is refused."""
    return [{"type": "text", "text": text}] if text.strip() else []


def _parts(message: Message) -> list[Json]:
    return [*map(_media, message.media), *_text(message.text)]


def _result(message: Message) -> Json:
    return {
        "type": "tool_result",
        "tool_use_id": safe_id(message.call_id),
        "content": [*_text(message.text), *map(_media, message.media)],
    }


def _media(media: Media) -> Json:
    if media.kind != "image":
        return {"type": "text", "text": cannot_send(media)}
    if media.url:
        return {"type": "image", "source": {"type": "url", "url": media.url}}
    source = {"type": "base64", "media_type": media.type, "data": media.data}
    return {"type": "image", "source": source}
