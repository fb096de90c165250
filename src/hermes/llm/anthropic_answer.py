"""Read an answer of Anthropic's messages API, streamed or whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hermes.base.json import NotJson, decode, encode
from hermes.base.messages import Json, ToolCall
from hermes.llm import values
from hermes.llm.catalog import Price
from hermes.llm.contract import CallPiece, Piece, ReasoningPiece, Reply, Stop, TextPiece, Usage
from hermes.llm.conversation import new_id
from hermes.llm.troubles import cut

PROTOCOL = "anthropic"
_STOPS: dict[str, Stop] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "filter",
}
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


class MessagesReader:
    """Put one answer together from its blocks."""

    def __init__(self, model: str, price: Price | None) -> None:
        self._model = model
        self._price = price
        self._blocks: dict[int, dict[str, Json]] = {}
        self._json: dict[int, list[str]] = {}
        self._reason = ""
        self._usage: dict[str, Json] = {}

    def read(self, event: dict[str, Json]) -> Iterable[Piece]:
        """Return the pieces that an event brings."""
        match event.get("type"):
            case "message_start":
                self._spend(values.at(event, "message", "usage"))
            case "content_block_start":
                return list(self._start(_place(event), event.get("content_block")))
            case "content_block_delta":
                return list(self._delta(_place(event), event.get("delta")))
            case "message_delta":
                self._spend(event.get("usage"))
                reason = values.text(values.at(event, "delta", "stop_reason"))
                self._reason = reason or self._reason
            case "message":
                return list(self._whole(event))
        return ()

    def _spend(self, usage: Json) -> None:
        if isinstance(usage, dict):
            self._usage.update({name: value for name, value in usage.items() if value is not None})

    def _whole(self, message: dict[str, Json]) -> Iterator[Piece]:
        self._spend(message.get("usage"))
        self._reason = values.text(message.get("stop_reason")) or "end_turn"
        for place, block in enumerate(values.objects(message.get("content"))):
            yield from self._start(place, block)

    def _start(self, place: int, block: Json) -> Iterator[Piece]:
        if not isinstance(block, dict):
            return
        self._blocks[place] = dict(block)
        if block.get("type") == "tool_use":
            given = block.get("input")
            yield CallPiece(
                self._number(place),
                values.text(block.get("name")),
                encode(given) if given else "",
            )
        yield from _pieces(block)

    def _delta(self, place: int, delta: Json) -> Iterator[Piece]:
        block = self._blocks.setdefault(place, {"type": "text", "text": ""})
        if not isinstance(delta, dict):
            return
        for name in ("text", "thinking", "signature"):
            if values.text(delta.get(name)):
                block[name] = values.text(block.get(name)) + delta[name]
        part = values.text(delta.get("partial_json"))
        if part:
            self._json.setdefault(place, []).append(part)
            yield CallPiece(self._number(place), values.text(block.get("name")), part)
        yield from _pieces(delta)

    def _number(self, place: int) -> int:
        """Return which of the calls stands in a place."""
        calls = [at for at, block in self._blocks.items() if block.get("type") == "tool_use"]
        return calls.index(place) if place in calls else len(calls)

    def finish(self, *, is_done: bool) -> Reply:
        """Return the whole answer; without a reason to end it was cut."""
        if not self._reason and not is_done:
            raise cut("the service")
        blocks = [self._settled(place) for place in sorted(self._blocks)]
        calls = tuple(self._call(block) for block in blocks if block.get("type") == "tool_use")
        thoughts = any(block.get("type") in _THOUGHTS for block in blocks)
        kept = {PROTOCOL: {"model": self._model, "blocks": _returnable(blocks)}}
        return Reply(
            _join(blocks, "text"),
            _join(blocks, "thinking"),
            calls,
            _STOPS.get(self._reason, "calls" if calls else "end"),
            self._spent(),
            kept if thoughts else {},
        )

    def _settled(self, place: int) -> dict[str, Json]:
        """Return a block with the input that was streamed; text that is no object stays text."""
        block = self._blocks[place]
        if block.get("type") != "tool_use":
            return block
        block["id"] = values.text(block.get("id")) or new_id()
        written = "".join(self._json.get(place, ()))
        if written.strip():
            try:
                block["input"] = decode(written)
            except NotJson:
                block["input"] = written
        return block

    def _call(self, block: dict[str, Json]) -> ToolCall:
        given = block.get("input")
        arguments = given if isinstance(given, str) else encode(given or {})
        return ToolCall(block["id"], values.text(block.get("name")), arguments)

    def _spent(self) -> Usage:
        said = self._usage
        cached = values.number(said, "cache_read_input_tokens")
        written = values.number(said, "cache_creation_input_tokens")
        usage = Usage(
            values.number(said, "input_tokens") + cached + written,
            values.number(said, "output_tokens"),
            cached,
            values.number(said, "output_tokens_details", "thinking_tokens"),
        )
        priced = self._price.dollars(usage, written=written) if self._price and said else None
        return usage._replace(dollars=priced)


def _place(event: dict[str, Json]) -> int:
    return values.number(event.get("index"))


def _pieces(part: dict[str, Json]) -> Iterator[Piece]:
    if values.text(part.get("thinking")):
        yield ReasoningPiece(part["thinking"])
    if values.text(part.get("text")):
        yield TextPiece(part["text"])


def _join(blocks: list[dict[str, Json]], kind: str) -> str:
    return "".join(values.text(b.get(kind)) for b in blocks if b.get("type") == kind)


def _returnable(blocks: list[dict[str, Json]]) -> list[Json]:
    """Return the blocks that may be sent back: an empty text or broken input would be refused."""
    kept: list[Json] = []
    for block in blocks:
        if block.get("type") == "text" and not values.text(block.get("text")).strip():
            continue
        if block.get("type") == "tool_use" and not isinstance(block.get("input"), dict):
            block = {**block, "input": {"invalid_arguments": block.get("input")}}
        kept.append(block)
    return kept
