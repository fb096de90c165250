"""The conversation of an agent: kept before anything follows from it, and always valid."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.agent.recording import Recorder
from hermes.agent.validity import mend
from hermes.base.messages import Message


class Conversation:
    """The messages between a person, a model and its tools; the system prompt comes first."""

    def __init__(self, system: str, earlier: Sequence[Message], recorder: Recorder) -> None:
        self._system = (Message("system", system),) if system else ()
        self._messages = [one for one in mend(earlier) if one.role != "system"]
        self._recorder = recorder

    @property
    def messages(self) -> tuple[Message, ...]:
        """Everything, as a model would be sent it."""
        return (*self._system, *self._messages)

    def call_ids(self) -> set[str]:
        """Return the ids of all calls."""
        return {call.id for message in self._messages for call in message.calls}

    def add(self, message: Message) -> None:
        """Keep a message, then have it follow the others."""
        self._recorder.add(message)
        self._messages.append(message)

    def record(self, message: Message) -> None:
        """Keep a message that takes its place later, with ``place``."""
        self._recorder.add(message)

    def place(self, messages: Sequence[Message]) -> None:
        """Have messages follow that were recorded before."""
        self._messages += messages
