"""What every model is asked, and what it answers piece by piece."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Literal, NamedTuple, Protocol

from hermes.base.errors import HermesError
from hermes.base.messages import NOTHING, Json, Message, ToolCall

Trouble = Literal["refused", "key", "limit", "busy", "unreachable", "cut", "unreadable", "too long"]
"""Why there is no answer: the request or the key is wrong, too many requests, the service is down,
nobody is there, the answer ended early, it cannot be read, or the conversation is too long."""


class ModelError(HermesError):
    """Tell the person why the model gave no answer; the loop may try again where that can help."""

    code = "model_error"

    def __init__(
        self,
        message: str,
        *,
        trouble: Trouble,
        hint: str | None = None,
        wait_seconds: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.trouble: Trouble = trouble
        self.wait_seconds = wait_seconds
        """How long the service asks to wait before the next try."""


class Request(NamedTuple):
    """One question: a conversation, and the tools on offer in OpenAI's form."""

    messages: tuple[Message, ...]
    definitions: tuple[Json, ...] = ()
    tool_choice: Literal["auto", "none", "required"] = "auto"
    temperature: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()


class Usage(NamedTuple):
    """What an answer cost; tokens that a provider does not tell are 0."""

    input: int = 0
    output: int = 0
    cached: int = 0
    """Those of the input that came from the provider's cache."""
    reasoning: int = 0
    """Those of the output that were thought and not said."""
    dollars: float | None = None
    """None where the price is not known."""


class TextPiece(NamedTuple):
    """A piece of what is said."""

    text: str


class ReasoningPiece(NamedTuple):
    """A piece of what is thought."""

    text: str


class CallPiece(NamedTuple):
    """A call that is being written: its place in the answer, its name, and what came of it."""

    number: int
    name: str
    arguments: str


class Retry(NamedTuple):
    """The question is put again after a while; what came before is void."""

    why: str
    wait_seconds: float


Stop = Literal["end", "calls", "length", "filter"]


class Reply(NamedTuple):
    """The whole answer; always the last piece."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = "end"
    usage: Usage = Usage()
    extra: Mapping[str, Json] = NOTHING
    """What the provider wants back unchanged with the next question."""

    def message(self) -> Message:
        """Return it as a message of the conversation."""
        return Message(
            "assistant",
            self.text,
            calls=self.calls,
            reasoning=self.reasoning,
            extra=self.extra,
        )


Piece = TextPiece | ReasoningPiece | CallPiece | Retry | Reply


class Model(Protocol):
    """A model that can be asked; being cancelled ends the request at once."""

    name: str
    """As a person writes it: ``provider:model``."""
    window: int
    """The tokens it can read and write together; 0 when nobody knows."""

    def ask(self, request: Request) -> AsyncIterator[Piece]:
        """Put a question and yield its answer as it comes; a ``Reply`` is the last.

        Raises:
            ModelError: there is no answer, and trying again did not help.
        """

    async def close(self) -> None:
        """Let go of connections."""
