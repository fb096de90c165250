"""A model that calls tools by writing, around one that cannot call them otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator

from hermes.base import json
from hermes.base.messages import ToolCall
from hermes.llm.contract import (
    CallPiece,
    Model,
    Piece,
    ReasoningPiece,
    Reply,
    Request,
    Retry,
    TextPiece,
)
from hermes.llm.dialects.choosing import dialect_named
from hermes.llm.dialects.finished import as_call
from hermes.llm.dialects.forms import Written
from hermes.llm.dialects.rendering import rendered
from hermes.llm.dialects.scanner import Event, Said, Scanner, Thought


class TextModel:
    """Give a model tools by telling it of them in words, and reading its calls from its text.

    Closing it closes the model.
    """

    def __init__(self, model: Model, dialect: str = "auto") -> None:
        self.name = model.name
        self.window = model.window
        self.dialect = dialect_named(dialect, model.name)
        self._model = model

    async def ask(self, request: Request) -> AsyncIterator[Piece]:
        """Yield the answer with its calls as calls, as soon as each can be told."""
        question = rendered(request, self.dialect)
        names = {one["function"]["name"] for one in request.definitions}
        answer = _Answer(names)
        async for piece in self._model.ask(question):
            for read in answer.read(piece):
                yield read
        for read in answer.rest():
            yield read

    async def close(self) -> None:
        """Let go of the model."""
        await self._model.close()


class _Answer:
    """What came of an answer, and what was read from it."""

    def __init__(self, names: set[str]) -> None:
        self._names = names
        self._start()

    def _start(self) -> None:
        self._scanner = Scanner(self._names)
        self._raw: list[str] = []
        self._said: list[str] = []
        self._thought: list[str] = []
        self._calls: list[ToolCall] = []
        self._places: list[tuple[str, int]] = []
        self._is_over = False

    def read(self, piece: Piece) -> Iterator[Piece]:
        """Yield what a piece of the model's answer comes to."""
        if isinstance(piece, TextPiece):
            self._raw.append(piece.text)
            yield from self._pieces(self._scanner.feed(piece.text))
        elif isinstance(piece, Reply):
            yield from self._end(piece)
        else:
            if isinstance(piece, Retry):
                self._start()
            elif isinstance(piece, CallPiece):
                piece = piece._replace(number=self._place("own", piece.number))
            yield piece

    def rest(self) -> Iterator[Piece]:
        """Yield what was held back, of a model that ended without a reply."""
        if not self._is_over:
            yield from self._pieces(self._scanner.close())

    def _end(self, reply: Reply) -> Iterator[Piece]:
        """Yield what is left, and the whole; a reply may hold more than its pieces did."""
        self._is_over = True
        streamed = "".join(self._raw)
        if reply.text.startswith(streamed):
            yield from self._pieces(self._scanner.feed(reply.text[len(streamed) :]))
        yield from self._pieces(self._scanner.close())
        for number in range(len(reply.calls)):
            self._place("own", number)
        written = dict(enumerate(self._calls))
        known = {"own": dict(enumerate(reply.calls)), "written": written}
        calls = tuple(known[kind][one] for kind, one in self._places if one in known[kind])
        yield reply._replace(
            text="".join(self._said),
            reasoning=reply.reasoning + "".join(self._thought),
            calls=calls,
            stop="calls" if calls and reply.stop == "end" else reply.stop,
        )

    def _place(self, kind: str, number: int) -> int:
        """Return the place in the answer of a call that the model made or wrote."""
        if (kind, number) not in self._places:
            self._places.append((kind, number))
        return self._places.index((kind, number))

    def _pieces(self, events: Iterable[Event]) -> Iterator[Piece]:
        for event in events:
            if isinstance(event, Said):
                self._said.append(event.text)
                yield TextPiece(event.text)
            elif isinstance(event, Thought):
                self._thought.append(event.text)
                yield ReasoningPiece(event.text)
            elif isinstance(event, Written):
                call = as_call(event)
                number = self._place("written", len(self._calls))
                self._calls.append(call)
                given = call.arguments
                text = given if isinstance(given, str) else json.encode(given)
                yield CallPiece(number, call.name, text)
