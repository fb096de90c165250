"""Speak the API of Gemini."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from hermes.base.json import NotJson, decode
from hermes.base.messages import Json, Media, Message
from hermes.llm import values
from hermes.llm.catalog import Facts
from hermes.llm.contract import Request
from hermes.llm.conversation import arguments_of, safe_name, system_of
from hermes.llm.gemini_answer import OURS, PROTOCOL, GeminiReader

Bend = Callable[[Json], Json]
"""Turn a definition in OpenAI's form into a function declaration."""

_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY"}
_SIGNED = re.compile(r"gemini-(?:[3-9]|\d\d)")
_UNSIGNED = "skip_thought_signature_validator"
"""What Google wants in place of a signature for a call that another model made."""


class Gemini:
    """Write questions and read answers of one model in this protocol."""

    optional = ("thinking", "temperature", "toolconfig", "tool_config")

    def __init__(
        self, model: str, facts: Facts, *, effort: str = "", bend: Bend | None = None
    ) -> None:
        self._model = model.removeprefix("models/")
        self._facts = facts
        self._effort = effort
        self._bend = bend or _declaration

    def path(self) -> str:
        """Return where questions go, beneath the service's address."""
        return f"models/{self._model}:streamGenerateContent?alt=sse"

    def headers(self, key: str) -> dict[str, str]:
        """Return the header that carries the key, which must not be part of an address."""
        return {"x-goog-api-key": key} if key else {}

    def body(self, request: Request, without: frozenset[str]) -> dict[str, Json]:
        """Return a question as the service takes it, without some of the optional parts."""
        body: dict[str, Json] = {
            "contents": self._contents(request.messages),
            "generationConfig": self._options(request, without),
        }
        system = system_of(request.messages)
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        if request.definitions:
            declarations = [self._bend(one) for one in request.definitions]
            body["tools"] = [{"functionDeclarations": declarations}]
            mode = {"mode": _MODES[request.tool_choice]}
            if not without & {"toolconfig", "tool_config"}:
                body["toolConfig"] = {"functionCallingConfig": mode}
        return body

    def _options(self, request: Request, without: frozenset[str]) -> dict[str, Json]:
        thinking: dict[str, Json] = {"includeThoughts": True}
        if self._effort:
            thinking["thinkingLevel"] = self._effort
        options: dict[str, Json] = {
            "temperature": request.temperature if "temperature" not in without else None,
            "maxOutputTokens": request.max_tokens,
            "stopSequences": list(request.stop) or None,
            "thinkingConfig": thinking if "thinking" not in without else None,
        }
        return {name: value for name, value in options.items() if value is not None}

    def reader(self) -> GeminiReader:
        """Return what reads one answer."""
        return GeminiReader(self._model, self._facts.price)

    def _contents(self, messages: Iterable[Message]) -> list[Json]:
        sent: list[dict[str, Json]] = []
        for message in messages:
            if message.role == "system":
                continue
            role = "model" if message.role == "assistant" else "user"
            parts = self._parts(message)
            if not parts:
                continue
            if sent and sent[-1]["role"] == role:
                sent[-1]["parts"] += parts
            else:
                sent.append({"role": role, "parts": parts})
        return list(sent)

    def _parts(self, message: Message) -> list[Json]:
        if message.role == "tool":
            return [_result(message), *map(_media, message.media)]
        if message.role == "user":
            return [*map(_media, message.media), *_text(message.text)]
        return self._kept(message) or [*_text(message.text), *self._calls(message)]

    def _kept(self, message: Message) -> list[Json]:
        """Return the parts as they came, with their signatures, if the calls are the same."""
        kept = message.extra.get(PROTOCOL)
        if not isinstance(kept, dict) or kept.get("model") != self._model:
            return []
        parts = list(values.objects(kept.get("parts")))
        named = [
            values.at(part, "functionCall", "name") for part in parts if "functionCall" in part
        ]
        return list(parts) if named == [call.name for call in message.calls] else []

    def _calls(self, message: Message) -> list[Json]:
        parts: list[Json] = [
            {
                "functionCall": {
                    "name": safe_name(call.name),
                    "args": arguments_of(call),
                    **_own(call.id),
                }
            }
            for call in message.calls
        ]
        if parts and _SIGNED.search(self._model):
            parts[0]["thoughtSignature"] = _UNSIGNED
        return parts


def _own(given: str) -> dict[str, str]:
    """Return a call's id where the service gave it; one that we made up is no business of its."""
    return {} if given.startswith(OURS) else {"id": given}


def _declaration(definition: Json) -> Json:
    function = values.at(definition, "function")
    return {
        "name": values.at(function, "name"),
        "description": values.text(values.at(function, "description")),
        "parametersJsonSchema": values.at(function, "parameters") or {"type": "object"},
    }


def _result(message: Message) -> Json:
    try:
        value = decode(message.text)
    except NotJson:
        value = message.text
    response = value if isinstance(value, dict) else {"result": value}
    name = safe_name(message.name)
    return {"functionResponse": {"name": name, "response": response, **_own(message.call_id)}}


def _text(text: str) -> list[Json]:
    return [{"text": text}] if text else []


def _media(media: Media) -> Json:
    if media.url:
        return {"fileData": {"mimeType": media.type, "fileUri": media.url}}
    return {"inlineData": {"mimeType": media.type, "data": media.data}}
