"""Read an answer of Gemini, streamed or whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hermes.base.json import encode
from hermes.base.messages import Json, ToolCall
from hermes.llm import values
from hermes.llm.catalog import Price
from hermes.llm.contract import CallPiece, Piece, ReasoningPiece, Reply, Stop, TextPiece, Usage
from hermes.llm.conversation import new_id
from hermes.llm.troubles import cut, failed

PROTOCOL = "gemini"
OURS = "call_"
"""How ids begin that we made up because the service gave none."""

_GARBLED = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER"})
_STOPS: dict[str, Stop] = {"STOP": "end", "MAX_TOKENS": "length", "BLOCKED": "filter"}


class GeminiReader:
    """Put one answer together from its parts."""

    def __init__(self, model: str, price: Price | None) -> None:
        self._model = model
        self._price = price
        self._parts: list[dict[str, Json]] = []
        self._calls: list[ToolCall] = []
        self._reason = ""
        self._usage: Json = None

    def read(self, event: dict[str, Json]) -> Iterable[Piece]:
        """Return the pieces that a chunk brings."""
        if isinstance(event.get("usageMetadata"), dict):
            self._usage = event["usageMetadata"]
        if values.text(values.at(event, "promptFeedback", "blockReason")):
            self._reason = "BLOCKED"
        candidate = values.first(event.get("candidates"))
        self._reason = values.text(candidate.get("finishReason")) or self._reason
        parts = values.objects(values.at(candidate, "content", "parts"))
        return [piece for part in parts for piece in self._part(part)]

    def _part(self, part: dict[str, Json]) -> Iterator[Piece]:
        self._parts.append(part)
        text = values.text(part.get("text"))
        if text:
            yield ReasoningPiece(text) if part.get("thought") is True else TextPiece(text)
        call = part.get("functionCall")
        if isinstance(call, dict):
            name, arguments = values.text(call.get("name")), encode(call.get("args") or {})
            yield CallPiece(len(self._calls), name, arguments)
            self._calls.append(ToolCall(values.text(call.get("id")) or new_id(), name, arguments))

    def finish(self, *, is_done: bool) -> Reply:
        """Return the whole answer; without a reason to end it was cut."""
        if not self._reason and not is_done:
            raise cut("the service")
        if self._reason in _GARBLED and not self._calls:
            raise failed("unreadable", f"the model's answer was no good: {self._reason}")
        calls = tuple(self._calls)
        stop = _STOPS.get(self._reason, "filter" if self._reason and not calls else "end")
        signed = any(part.get("thoughtSignature") for part in self._parts)
        kept = {PROTOCOL: {"model": self._model, "parts": _merged(self._parts)}}
        return Reply(
            self._join(is_thought=False),
            self._join(is_thought=True),
            calls,
            "calls" if calls and stop == "end" else stop,
            self._spent(),
            kept if signed else {},
        )

    def _join(self, *, is_thought: bool) -> str:
        texts = (p for p in self._parts if (p.get("thought") is True) is is_thought)
        return "".join(values.text(part.get("text")) for part in texts)

    def _spent(self) -> Usage:
        said = self._usage
        thought = values.number(said, "thoughtsTokenCount")
        usage = Usage(
            values.number(said, "promptTokenCount")
            + values.number(said, "toolUsePromptTokenCount"),
            values.number(said, "candidatesTokenCount") + thought,
            values.number(said, "cachedContentTokenCount"),
            thought,
        )
        priced = self._price.dollars(usage) if self._price and said else None
        return usage._replace(dollars=priced)


def _merged(parts: list[dict[str, Json]]) -> list[Json]:
    """Return the parts to be sent back: thoughts left out, unsigned pieces of text put together."""
    kept: list[Json] = []
    for part in parts:
        if part.get("thought") is True:
            continue
        last = kept[-1] if kept else {}
        if set(part) == {"text"} and set(last) == {"text"}:
            kept[-1] = {"text": values.text(last["text"]) + values.text(part["text"])}
        elif part != {"text": ""}:
            kept.append(part)
    return kept
