"""Where the messages of a conversation are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from hermes.base.messages import Message
from hermes.llm.contract import Usage


class Recorder(Protocol):
    """Keeps messages; what ``add`` has taken is still there after a kill."""

    def add(self, message: Message, **about: Any) -> object:
        """Keep a message, durably, before anything follows from it; ``about`` stands beside it."""

    def compacted(self, summary: Message, *, keep_last: int = 0) -> object:
        """Keep a summary that stands for all messages but the last few."""


class Unrecorded:
    """Keep nothing, for an agent without a session."""

    def add(self, message: Message, **about: Any) -> None:
        """Let the message pass."""

    def compacted(self, summary: Message, *, keep_last: int = 0) -> None:
        """Let the summary pass."""


class Begun:
    """Begin a session with its first message, so that nothing is kept of an empty one."""

    def __init__(self, begin: Callable[[], Recorder]) -> None:
        self._begin = begin
        self._session: Recorder | None = None
        self._model = ""

    @property
    def id(self) -> str:
        """The id of the session; empty before it has begun."""
        return str(getattr(self._session, "id", ""))

    def use_model(self, name: str) -> None:
        """Note that another model answers from now on."""
        self._model = name
        note_model(self._session, name)

    def spend(self, usage: Usage) -> None:
        """Note what no message of the session stands for."""
        note_cost(self._session, usage)

    def add(self, message: Message, **about: Any) -> None:
        """Keep a message."""
        self._get().add(message, **about)

    def compacted(self, summary: Message, *, keep_last: int = 0) -> None:
        """Keep a summary."""
        self._get().compacted(summary, keep_last=keep_last)

    def _get(self) -> Recorder:
        if self._session is None:
            self._session = self._begin()
            if self._model:
                note_model(self._session, self._model)
        return self._session


def note_model(recorder: Recorder | None, name: str) -> None:
    """Tell a recorder that can take it which model answers from now on."""
    use_model = getattr(recorder, "use_model", None)
    if callable(use_model):
        use_model(name)


def note_cost(recorder: Recorder | None, usage: Usage) -> None:
    """Tell a recorder that can take it what was spent beside the messages."""
    spend = getattr(recorder, "spend", None)
    if callable(spend):
        spend(usage)
