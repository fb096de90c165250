"""Where the messages of a conversation are kept."""

from __future__ import annotations

from typing import Protocol

from hermes.base.messages import Message


class Recorder(Protocol):
    """Keeps messages; what ``add`` has taken is still there after a kill."""

    def add(self, message: Message) -> object:
        """Keep a message, durably, before anything follows from it."""


class Unrecorded:
    """Keep nothing, for an agent without a session."""

    def add(self, message: Message) -> None:
        """Let the message pass."""
