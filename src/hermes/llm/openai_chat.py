"""Speak the chat completions of OpenAI, as nearly every service and server does."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from hermes.base.json import encode
from hermes.base.messages import Json, Media, Message, ToolCall
from hermes.llm.catalog import Facts
from hermes.llm.chat_answer import ChatReader
from hermes.llm.contract import Request
from hermes.llm.conversation import address, arguments_of, cannot_send, safe_name

PROTOCOL = "chat"
_SHORT_ID = 9
_SOUNDS = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


class Chat:
    """Write questions and read answers of one model in this protocol."""

    optional = (
        "stream_options",
        "reasoning_content",
        "reasoning_details",
        "reasoning_effort",
        "max_tokens",
        "temperature",
        "parallel_tool_calls",
        "tool_choice",
        "stop",
    )

    def __init__(
        self,
        model: str,
        facts: Facts,
        *,
        effort: str = "",
        quirks: frozenset[str] = frozenset(),
    ) -> None:
        self._model = model
        self._facts = facts
        self._effort = effort
        self._quirks = quirks

    def path(self) -> str:
        """Return where questions go, beneath the service's address."""
        return "chat/completions"

    def headers(self, key: str) -> dict[str, str]:
        """Return the header that carries the key."""
        return {"authorization": f"Bearer {key}"} if key else {}

    def body(self, request: Request, without: frozenset[str]) -> dict[str, Json]:
        """Return a question as the service takes it, without some of the optional parts."""
        limit = "max_completion_tokens" if "max_tokens" in without else "max_tokens"
        body: dict[str, Json] = {
            "model": self._model,
            "messages": list(self._messages(request.messages, without)),
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": request.temperature,
            limit: request.max_tokens,
            "stop": list(request.stop) or None,
            "reasoning_effort": self._effort or None,
        }
        if request.definitions:
            body["tools"] = list(request.definitions)
            body["tool_choice"] = None if request.tool_choice == "auto" else request.tool_choice
        return {k: v for k, v in body.items() if v is not None and k not in without}

    def reader(self) -> ChatReader:
        """Return what reads one answer."""
        return ChatReader(self._model, self._facts.price)

    def _messages(self, messages: Iterable[Message], without: frozenset[str]) -> Iterator[Json]:
        shown: list[Media] = []
        for message in messages:
            if message.role != "tool" and shown:
                yield _seen(shown)
                shown = []
            if message.role == "tool":
                shown += message.media
                yield {
                    "role": "tool",
                    "tool_call_id": self._id(message.call_id),
                    "content": message.text,
                }
            elif message.role == "assistant":
                yield self._assistant(message, without)
            else:
                yield {"role": message.role, "content": _content(message.text, message.media)}
        if shown:
            yield _seen(shown)

    def _assistant(self, message: Message, without: frozenset[str]) -> Json:
        calls = [self._call(call) for call in message.calls]
        said: dict[str, Json] = {"role": "assistant", "content": message.text or None}
        if calls:
            said["tool_calls"] = calls
        elif not message.text:
            said["content"] = ""
        kept = message.extra.get(PROTOCOL)
        if isinstance(kept, dict) and kept.get("model") == self._model:
            thought = kept.get("thought")
            said.update(thought if isinstance(thought, dict) else {})
        return {name: value for name, value in said.items() if name not in without}

    def _call(self, call: ToolCall) -> Json:
        function = {"name": safe_name(call.name), "arguments": encode(arguments_of(call))}
        return {"id": self._id(call.id), "type": "function", "function": function}

    def _id(self, given: str) -> str:
        if "short_ids" not in self._quirks or (len(given) == _SHORT_ID and given.isalnum()):
            return given
        return hashlib.sha256(given.encode("utf-8", "replace")).hexdigest()[:_SHORT_ID]


def _content(text: str, media: Iterable[Media]) -> Json:
    """Return what a person said: a text, or parts where there is more than text."""
    parts = [_part(one) for one in media]
    return [{"type": "text", "text": text}, *parts] if parts and text else parts or text


def _part(media: Media) -> Json:
    if media.kind == "image":
        return {"type": "image_url", "image_url": {"url": address(media)}}
    format = _SOUNDS.get(media.type)
    if format is None or not media.data:
        return {"type": "text", "text": cannot_send(media)}
    return {"type": "input_audio", "input_audio": {"data": media.data, "format": format}}


def _seen(media: Iterable[Media]) -> Json:
    """Return what tools showed as a message of its own: their answers hold nothing but text."""
    return {"role": "user", "content": _content("What the tools above returned:", media)}
