"""Put one question to a model and hand on its answer as it comes."""

from __future__ import annotations

from hermes.agent.events import Said, Taken, Thought
from hermes.agent.watching import Emit
from hermes.base.messages import ToolCall
from hermes.base.text import said
from hermes.llm.contract import (
    Model,
    ModelError,
    ReasoningPiece,
    Reply,
    Request,
    Retry,
    TextPiece,
    Usage,
)


class Draft:
    """What has come of an answer so far."""

    def __init__(self) -> None:
        self._said: list[str] = []

    @property
    def text(self) -> str:
        """What was said."""
        return "".join(self._said)

    def take(self, piece: object, emit: Emit) -> None:
        """Note a piece and hand it on; what is no piece is passed over."""
        if isinstance(piece, TextPiece) and isinstance(piece.text, str):
            self._said.append(piece.text)
            emit(Said(piece.text))
        elif isinstance(piece, ReasoningPiece) and isinstance(piece.text, str):
            emit(Thought(piece.text))
        elif isinstance(piece, Retry):
            self._said.clear()
            emit(Taken(piece.why, piece.wait_seconds))

    def settle(self, text: str, emit: Emit) -> None:
        """Take the whole text, and hand on what of it did not come in pieces."""
        begun = self.text
        if text.startswith(begun) and len(text) > len(begun):
            emit(Said(text[len(begun) :]))
        self._said = [text]


async def ask(model: Model, request: Request, draft: Draft, emit: Emit) -> Reply:
    """Return a model's whole answer.

    Raises:
        ModelError: there is none, whatever the model did instead.
    """
    reply: Reply | None = None
    try:
        async for piece in model.ask(request):
            if isinstance(piece, Reply):
                reply = piece
            else:
                draft.take(piece, emit)
    except ModelError:
        raise
    except Exception as error:  # an adapter that breaks must not end the conversation
        raise ModelError(
            f"{model.name} broke while it answered: {type(error).__name__}: {said(error)}",
            trouble="unreadable",
            hint="Try again, or choose another model; the log has the details.",
        ) from error
    if reply is None:
        raise ModelError(
            f"{model.name} stopped in the middle of its answer",
            trouble="cut",
            hint="Try again; the connection or the server gave up.",
        )
    return _whole(reply, draft, emit)


def _whole(reply: Reply, draft: Draft, emit: Emit) -> Reply:
    """Return a reply whose parts are what they should be, and say what was not said yet."""
    text = reply.text if isinstance(reply.text, str) else str(reply.text or "")
    draft.settle(text, emit)
    calls = tuple(call for call in reply.calls or () if isinstance(call, ToolCall))
    usage = reply.usage if isinstance(reply.usage, Usage) else Usage()
    return reply._replace(text=text, calls=calls, usage=usage)
