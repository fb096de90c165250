"""Read a conversation as a model is sent it: what is asked, what was done since and before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from hermes.agent.builtin.said import Past
from hermes.agent.builtin.steps import Answer
from hermes.base.messages import Json, Message


class Conversation(NamedTuple):
    """The latest request, the answers since, and what came before."""

    text: str
    answers: tuple[Answer, ...]
    past: Past
    is_first: bool
    """Whether nothing has been said to the person yet."""


def read(messages: Iterable[Message]) -> Conversation:
    """Return a conversation, taken apart at the latest message of the person."""
    every = tuple(messages)
    at = max((n for n, message in enumerate(every) if message.role == "user"), default=-1)
    before, since = every[: max(at, 0)], every[at + 1 :]
    texts = tuple(message.text for message in before if message.role == "user")
    past = Past(texts, _calls(before), tuple(answer.value for answer in _answers(before)))
    is_first = not any(message.role == "assistant" and message.text for message in before)
    text = every[at].text if at >= 0 else ""
    return Conversation(text, _answers(since), past, is_first)


def _calls(messages: tuple[Message, ...]) -> tuple[tuple[str, Mapping[str, Json]], ...]:
    return tuple(
        (call.name, _object(call.arguments)) for message in messages for call in message.calls
    )


def _answers(messages: tuple[Message, ...]) -> tuple[Answer, ...]:
    """Return the answers in the order their calls were made."""
    names = {call.id: call.name for message in messages for call in message.calls}
    return tuple(
        Answer(names.get(message.call_id, message.name), _object(message.text))
        for message in messages
        if message.role == "tool"
    )


def _object(value: Json) -> Mapping[str, Json]:
    if isinstance(value, Mapping):
        return value
    try:
        found = json.loads(value)
    except (TypeError, ValueError):
        return {"result": value}
    return found if isinstance(found, dict) else {"result": found}
