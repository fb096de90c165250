"""The conversation of an agent: kept before anything follows from it, and always valid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hermes.agent.notes import CUT_OFF, note, noted
from hermes.agent.recording import Recorder, note_cost
from hermes.agent.validity import mend
from hermes.base.messages import Json, Message
from hermes.llm.contract import Usage
from hermes.llm.counting import tokens_of

_SAMPLE = 16_000
"""Characters of a long text that are counted; the rest is taken for more of the same."""


class Conversation:
    """The messages between a person, a model and its tools; the system prompt comes first."""

    def __init__(self, system: str, earlier: Sequence[Message], recorder: Recorder) -> None:
        self._system = (Message("system", system),) if system else ()
        self._messages = [one for one in mend(earlier) if one.role != "system"]
        self._recorder = recorder
        self._measured = 0
        """What a provider counted of the messages before ``_uncounted``, prompt and tools too."""
        self._uncounted = 0
        self._definitions: tuple[Sequence[Json], int] = ((), 0)

    @property
    def messages(self) -> tuple[Message, ...]:
        """Everything, as a model would be sent it."""
        return (*self._system, *self._messages)

    @property
    def said(self) -> tuple[Message, ...]:
        """Everything but the system prompt."""
        return tuple(self._messages)

    def call_ids(self) -> set[str]:
        """Return the ids of all calls."""
        return {call.id for message in self._messages for call in message.calls}

    def add(self, message: Message, **about: Any) -> None:
        """Keep a message, then have it follow the others."""
        self._recorder.add(message, **about)
        self._messages.append(message)

    def charge(self, usage: Usage) -> None:
        """Have it recorded what was spent without a message that stands for it."""
        note_cost(self._recorder, usage)

    def record(self, message: Message, **about: Any) -> None:
        """Keep a message that takes its place later, with ``place``."""
        self._recorder.add(message, **about)

    def place(self, messages: Iterable[Message]) -> None:
        """Have messages follow that were recorded before."""
        self._messages += messages

    def remark(self, text: str) -> None:
        """Tell the model something: in the answer of a tool that it reads next, or by itself."""
        last = self._messages[-1] if self._messages else None
        within = noted(last, text) if last is not None and last.role == "tool" else None
        if within is None:
            self.add(note(text))
        else:
            self._messages[-1] = within

    def begin_turn(self, message: Message) -> None:
        """Have what a person says follow, behind whatever an earlier turn left unfinished."""
        if self._messages and self._messages[-1].calls:
            self.restart(self._messages)
        if self._messages and self._messages[-1].role == "tool":
            self.add(Message("assistant", CUT_OFF))
        self.add(message)

    def replace(self, messages: Sequence[Message]) -> None:
        """Go on from a summary, which is new and is kept, and the messages that it left."""
        self._recorder.compacted(messages[0], keep_last=len(messages) - 1)
        self._messages = list(messages)
        self._measured = self._uncounted = 0

    def restart(self, messages: Sequence[Message]) -> None:
        """Go on from other messages, of which nothing is recorded here."""
        self._messages = [one for one in mend(messages) if one.role != "system"]
        self._measured = self._uncounted = 0

    def measure(self, usage: Usage) -> None:
        """Take a provider's own count of everything up to its answer, which was just added."""
        if usage.input > 0:
            self._measured = usage.input + usage.output
            self._uncounted = len(self._messages)

    def fixed_tokens(self, definitions: Sequence[Json]) -> int:
        """Return about how many tokens the system prompt and the tools have."""
        if self._definitions[0] is not definitions:
            self._definitions = (definitions, tokens_of(list(definitions)))
        return self._definitions[1] + sum(map(counted, self._system))

    def tokens(self, definitions: Sequence[Json]) -> int:
        """Return about how many tokens would be sent next."""
        if not self._measured:
            self._measured, self._uncounted = self.fixed_tokens(definitions), 0
        for message in self._messages[self._uncounted :]:
            self._measured += counted(message)
        self._uncounted = len(self._messages)
        return self._measured


def counted(message: Message) -> int:
    """Return about how many tokens a message has; of a long text only its beginning is counted."""
    if len(message.text) <= _SAMPLE:
        return tokens_of(message)
    rest = message._replace(text="")
    head = tokens_of(message.text[:_SAMPLE])
    return tokens_of(rest) + head * len(message.text) // _SAMPLE
