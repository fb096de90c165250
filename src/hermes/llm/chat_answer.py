"""Read an answer in the chat completions protocol, streamed or whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hermes.base.messages import Json
from hermes.llm import values
from hermes.llm.catalog import Price
from hermes.llm.contract import Piece, ReasoningPiece, Reply, Stop, TextPiece, Usage
from hermes.llm.fragments import Drafts
from hermes.llm.troubles import cut, failed

_STOPS: dict[str, Stop] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filter",
    "safety": "filter",
    "refusal": "filter",
}


class ChatReader:
    """Put one answer together from chunks; a whole answer is one chunk with a message in it."""

    def __init__(self, model: str, price: Price | None) -> None:
        self._model = model
        self._price = price
        self._text: list[str] = []
        self._thought: list[str] = []
        self._field = ""
        self._details: list[Json] = []
        self._drafts = Drafts()
        self._reason = ""
        self._usage: Json = None

    def read(self, event: dict[str, Json]) -> Iterable[Piece]:
        """Return the pieces that a chunk brings."""
        usage = event.get("usage") or values.at(event, "x_groq", "usage")
        if isinstance(usage, dict):
            self._usage = usage
        choice = values.first(event.get("choices"))
        self._reason = values.text(choice.get("finish_reason")) or self._reason
        if self._reason == "error":
            raise failed("busy", "the service broke off with an error")
        delta = choice.get("delta") or choice.get("message")
        return list(self._delta(delta)) if isinstance(delta, dict) else ()

    def _delta(self, delta: dict[str, Json]) -> Iterator[Piece]:
        yield from self._thinking(delta)
        for kind, text in _said(delta.get("content")):
            if kind == "thinking":
                self._thought.append(text)
                yield ReasoningPiece(text)
            else:
                self._text.append(text)
                yield TextPiece(text)
        refusal = values.text(delta.get("refusal"))
        if refusal:
            self._text.append(refusal)
            yield TextPiece(refusal)
        yield from self._calls(delta)

    def _thinking(self, delta: dict[str, Json]) -> Iterator[Piece]:
        self._details += values.objects(delta.get("reasoning_details"))
        for field in ("reasoning_content", "reasoning"):
            text = values.text(delta.get(field))
            if text:
                self._field = field
                self._thought.append(text)
                yield ReasoningPiece(text)
                return  # some services send the same under both names

    def _calls(self, delta: dict[str, Json]) -> Iterator[Piece]:
        fragments = delta.get("tool_calls")
        if isinstance(fragments, dict):
            fragments = [fragments]
        for fragment in values.objects(fragments):
            piece = self._drafts.add(fragment)
            if piece is not None:
                yield piece
        old = delta.get("function_call")
        if isinstance(old, dict):
            piece = self._drafts.add({"index": 0, "function": old})
            if piece is not None:
                yield piece

    def finish(self, *, is_done: bool) -> Reply:
        """Return the whole answer; without a reason to end or the closing word it was cut."""
        if not self._reason and not is_done:
            raise cut("the service")
        calls = self._drafts.calls()
        stop = _STOPS.get(self._reason, "calls" if calls else "end")
        return Reply(
            "".join(self._text),
            "".join(self._thought),
            calls,
            stop,
            self._spent(),
            self._extra(),
        )

    def _spent(self) -> Usage:
        said = self._usage
        cached = values.number(said, "prompt_tokens_details", "cached_tokens")
        usage = Usage(
            values.number(said, "prompt_tokens"),
            values.number(said, "completion_tokens"),
            cached or values.number(said, "prompt_cache_hit_tokens"),
            values.number(said, "completion_tokens_details", "reasoning_tokens"),
        )
        cost = values.at(said, "cost")
        if isinstance(cost, (int, float)) and not isinstance(cost, bool) and cost >= 0:
            return usage._replace(dollars=float(cost))
        priced = self._price.dollars(usage) if self._price and said else None
        return usage._replace(dollars=priced)

    def _extra(self) -> dict[str, Json]:
        """Return the thoughts that the service wants back; some refuse to go on without them."""
        thought: dict[str, Json] = {}
        if self._details:
            thought = {"reasoning_details": _joined(self._details)}
        elif self._field == "reasoning_content":
            thought = {"reasoning_content": "".join(self._thought)}
        return {"chat": {"model": self._model, "thought": thought}} if thought else {}


def _said(content: Json) -> Iterator[tuple[str, str]]:
    """Yield what is said, and how: content is a text, or parts of which some are thoughts."""
    if isinstance(content, str):
        if content:
            yield "text", content
        return
    for part in values.objects(content):
        inner = part.get("thinking") or part.get("text")
        kind = "thinking" if part.get("type") == "thinking" else "text"
        if isinstance(inner, list):
            inner = "".join(values.text(one.get("text")) for one in values.objects(inner))
        if isinstance(inner, str) and inner:
            yield kind, inner


def _joined(details: list[Json]) -> list[Json]:
    """Return streamed details with the pieces of each put together."""
    whole: list[Json] = []
    for detail in details:
        last = whole[-1] if whole else None
        same = last is not None and all(last.get(k) == detail.get(k) for k in ("type", "index"))
        if not same or last is None:
            whole.append(dict(detail))
            continue
        for name, value in detail.items():
            joins = name in {"text", "summary", "data"} and isinstance(value, str)
            before = last.get(name)
            last[name] = before + value if joins and isinstance(before, str) else value or before
    return whole
