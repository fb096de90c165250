"""Where the messages of a conversation are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from hermes.base.messages import Message


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
        self.session: Recorder | None = None

    def add(self, message: Message, **about: Any) -> None:
        """Keep a message."""
        self._get().add(message, **about)

    def compacted(self, summary: Message, *, keep_last: int = 0) -> None:
        """Keep a summary."""
        self._get().compacted(summary, keep_last=keep_last)

    def _get(self) -> Recorder:
        if self.session is None:
            self.session = self._begin()
        return self.session
