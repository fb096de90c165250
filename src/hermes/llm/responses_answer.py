"""Read an answer of OpenAI's Responses API, streamed or whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hermes.base.json import encode
from hermes.base.messages import Json, ToolCall
from hermes.llm import values
from hermes.llm.catalog import Price
from hermes.llm.contract import CallPiece, Piece, ReasoningPiece, Reply, Stop, TextPiece, Usage
from hermes.llm.conversation import new_id
from hermes.llm.troubles import cut, of_event

PROTOCOL = "responses"
_TEXTS = frozenset({"response.output_text.delta", "response.refusal.delta"})
_THOUGHTS = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
_ENDS = frozenset({"response.completed", "response.incomplete"})
_WHO = "the service"


class ResponsesReader:
    """Put one answer together from its items."""

    def __init__(self, model: str, price: Price | None) -> None:
        self._model = model
        self._price = price
        self._text: list[str] = []
        self._thought: list[str] = []
        self._items: dict[int, dict[str, Json]] = {}
        self._names: dict[int, str] = {}
        self._response: dict[str, Json] = {}

    def read(self, event: dict[str, Json]) -> Iterable[Piece]:
        """Return the pieces that an event brings."""
        kind = values.text(event.get("type"))
        if kind in {"error", "response.failed"}:
            raise of_event(_WHO, _told(event))
        if event.get("object") == "response":
            return list(self._whole(event))
        if kind in _ENDS:
            return self._end(event.get("response"))
        return list(self._step(kind, event))

    def _step(self, kind: str, event: dict[str, Json]) -> Iterator[Piece]:
        place, delta = values.number(event.get("output_index")), values.text(event.get("delta"))
        if kind in _TEXTS and delta:
            self._text.append(delta)
            yield TextPiece(delta)
        elif kind in _THOUGHTS and delta:
            self._thought.append(delta)
            yield ReasoningPiece(delta)
        elif kind == "response.reasoning_summary_part.added" and self._thought:
            self._thought.append("\n\n")
            yield ReasoningPiece("\n\n")
        elif kind == "response.function_call_arguments.delta":
            yield CallPiece(self._number(place), self._names.get(place, ""), delta)
        elif kind in {"response.output_item.added", "response.output_item.done"}:
            yield from self._item(place, event.get("item"), is_done=kind.endswith("done"))

    def _item(self, place: int, item: Json, *, is_done: bool) -> Iterator[Piece]:
        if not isinstance(item, dict):
            return
        if item.get("type") == "function_call" and place not in self._names:
            self._names[place] = values.text(item.get("name"))
            yield CallPiece(self._number(place), self._names[place], "")
        if is_done:
            self._items[place] = item

    def _number(self, place: int) -> int:
        """Return which of the calls stands in a place."""
        calls = sorted({*self._names, place})
        return calls.index(place)

    def _end(self, response: Json) -> Iterable[Piece]:
        """Take the response as it says it is; items that came singly are its own."""
        if isinstance(response, dict):
            self._response = response
            for place, item in enumerate(values.objects(response.get("output"))):
                self._items.setdefault(place, item)
        self._response.setdefault("status", "completed")
        return ()

    def _whole(self, response: dict[str, Json]) -> Iterator[Piece]:
        if response.get("status") == "failed":
            raise of_event(_WHO, {"error": response.get("error") or "failed"})
        self._end(response)
        for item in self._items.values():
            for part in values.objects(item.get("content")):
                text = values.text(part.get("text")) or values.text(part.get("refusal"))
                if text and item.get("type") == "message":
                    self._text.append(text)
                    yield TextPiece(text)
            for part in values.objects(item.get("summary")):
                if values.text(part.get("text")):
                    self._thought.append(part["text"])
                    yield ReasoningPiece(part["text"])

    def finish(self, *, is_done: bool) -> Reply:
        """Return the whole answer; without its end it was cut."""
        if not self._response and not is_done:
            raise cut(_WHO)
        items = [self._items[place] for place in sorted(self._items)]
        calls = tuple(_call(item) for item in items if item.get("type") == "function_call")
        thoughts = any(item.get("encrypted_content") for item in items)
        kept = {PROTOCOL: {"model": self._model, "items": _returnable(items)}}
        return Reply(
            "".join(self._text),
            "".join(self._thought),
            calls,
            self._stop(has_calls=bool(calls)),
            self._spent(),
            kept if thoughts else {},
        )

    def _stop(self, *, has_calls: bool) -> Stop:
        reason = values.at(self._response, "incomplete_details", "reason")
        if reason == "content_filter":
            return "filter"
        if reason or self._response.get("status") == "incomplete":
            return "length"
        return "calls" if has_calls else "end"

    def _spent(self) -> Usage:
        said = self._response.get("usage")
        written = values.number(said, "input_tokens_details", "cache_write_tokens")
        usage = Usage(
            values.number(said, "input_tokens"),
            values.number(said, "output_tokens"),
            values.number(said, "input_tokens_details", "cached_tokens"),
            values.number(said, "output_tokens_details", "reasoning_tokens"),
        )
        priced = self._price.dollars(usage, written=written) if self._price and said else None
        return usage._replace(dollars=priced)


def _call(item: dict[str, Json]) -> ToolCall:
    given = item.get("arguments")
    arguments = given if isinstance(given, str) else encode(given or {})
    item["call_id"] = values.text(item.get("call_id")) or values.text(item.get("id")) or new_id()
    return ToolCall(item["call_id"], values.text(item.get("name")), arguments or "{}")


def _returnable(items: list[dict[str, Json]]) -> list[Json]:
    """Return the items that may be sent back; a thought that is not encrypted would be refused."""
    return [
        item for item in items if item.get("type") != "reasoning" or item.get("encrypted_content")
    ]


def _told(event: dict[str, Json]) -> Json:
    """Return an error event in the shape that others have."""
    error = values.at(event, "response", "error")
    return {"error": error or {"message": event.get("message"), "code": event.get("code")}}
