"""Speak the Responses API of OpenAI."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hermes.base.json import encode
from hermes.base.messages import Json, Media, Message
from hermes.llm import values
from hermes.llm.catalog import Facts
from hermes.llm.contract import Request
from hermes.llm.conversation import address, arguments_of, cannot_send, safe_name, system_of
from hermes.llm.responses_answer import PROTOCOL, ResponsesReader

_SOUNDS = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}
_REASONS = re.compile(r"(?:^|/)(?:o\d|gpt-(?:[5-9]|\d\d)|codex|gpt-oss)(?!.*chat)")


class Responses:
    """Write questions and read answers of one model in this protocol.

    Nothing is left with the service: what it thought comes back encrypted, and is sent again.
    """

    optional = ("include", "reasoning", "temperature", "tool_choice", "parallel_tool_calls")

    def __init__(self, model: str, facts: Facts, *, effort: str = "") -> None:
        self._model = model
        self._facts = facts
        self._effort = effort
        self._reasons = _REASONS.search(model.lower()) is not None

    def path(self) -> str:
        """Return where questions go, beneath the service's address."""
        return "responses"

    def headers(self, key: str) -> dict[str, str]:
        """Return the header that carries the key."""
        return {"authorization": f"Bearer {key}"} if key else {}

    def body(self, request: Request, without: frozenset[str]) -> dict[str, Json]:
        """Return a question as the service takes it, without some of the optional parts."""
        body: dict[str, Json] = {
            "model": self._model,
            "input": list(self._items(request.messages)),
            "instructions": system_of(request.messages) or None,
            "stream": True,
            "store": False,
            "max_output_tokens": request.max_tokens,
        }
        if request.definitions:
            body["tools"] = [_definition(one) for one in request.definitions]
            body["tool_choice"] = None if request.tool_choice == "auto" else request.tool_choice
        if self._reasons:
            effort = {"effort": self._effort} if self._effort else {}
            body["reasoning"] = {"summary": "auto", **effort}
            body["include"] = ["reasoning.encrypted_content"]
        else:
            body["temperature"] = request.temperature
        return {k: v for k, v in body.items() if v is not None and k not in without}

    def reader(self) -> ResponsesReader:
        """Return what reads one answer."""
        return ResponsesReader(self._model, self._facts.price)

    def _items(self, messages: Iterable[Message]) -> Iterator[Json]:
        for message in messages:
            if message.role == "user":
                yield {"role": "user", "content": _content(message)}
            elif message.role == "tool":
                yield {
                    "type": "function_call_output",
                    "call_id": message.call_id,
                    "output": _content(message) if message.media else message.text,
                }
            elif message.role == "assistant":
                yield from self._kept(message) or _rebuilt(message)

    def _kept(self, message: Message) -> list[Json]:
        """Return the items as they came, thoughts included, if the calls are still the same."""
        kept = message.extra.get(PROTOCOL)
        if not isinstance(kept, dict) or kept.get("model") != self._model:
            return []
        items = list(values.objects(kept.get("items")))
        ids = [item.get("call_id") for item in items if item.get("type") == "function_call"]
        return list(items) if ids == [call.id for call in message.calls] else []


def _rebuilt(message: Message) -> Iterator[Json]:
    if message.text:
        yield {"role": "assistant", "content": message.text}
    for call in message.calls:
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": safe_name(call.name),
            "arguments": encode(arguments_of(call)),
        }


def _definition(definition: Json) -> Json:
    function = values.at(definition, "function")
    return {
        "type": "function",
        "name": values.at(function, "name"),
        "description": values.text(values.at(function, "description")),
        "parameters": values.at(function, "parameters") or {"type": "object", "properties": {}},
        "strict": values.at(function, "strict") is True,
    }


def _content(message: Message) -> Json:
    """Return what a person or a tool said: a text, or parts where there is more than text."""
    parts = [_part(one) for one in message.media]
    if not parts:
        return message.text
    return [{"type": "input_text", "text": message.text}, *parts] if message.text else parts


def _part(media: Media) -> Json:
    if media.kind == "image":
        return {"type": "input_image", "detail": "auto", "image_url": address(media)}
    format = _SOUNDS.get(media.type)
    if format is None or not media.data:
        return {"type": "input_text", "text": cannot_send(media)}
    return {"type": "input_audio", "input_audio": {"data": media.data, "format": format}}
