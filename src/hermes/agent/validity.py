"""What may be sent to a model: every call has exactly one answer, right behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hermes.base.messages import Message, ToolCall
from hermes.base.pairing import sound

_ODD = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64


def mend(messages: Sequence[Message]) -> list[Message]:
    """Return a conversation in which every call has one answer, right behind it and in order.

    A call without an answer is told that it may have been done; an answer without a call, a second
    answer and an empty message are left out. Ids and names are such as every provider takes.
    """
    mended: list[Message] = []
    calls: list[ToolCall] = []
    for message in sound(messages):
        if message.role == "tool":
            call = calls.pop(0)
            mended.append(message._replace(call_id=call.id, name=call.name))
        elif not _is_empty(message):
            calls = list(distinct(message.calls, ()))
            mended.append(message._replace(calls=tuple(calls)))
    return mended


def _is_empty(message: Message) -> bool:
    return message.role == "assistant" and not (message.text or message.calls or message.media)


def distinct(calls: Iterable[ToolCall], taken: Iterable[str]) -> tuple[ToolCall, ...]:
    """Return calls with ids and names that every provider takes, no id twice."""
    used = set(taken)
    found = []
    for call in calls:
        id_ = call.id if isinstance(call.id, str) and call.id.strip() else "call"
        number = 1
        fresh = id_
        while fresh in used:
            number += 1
            fresh = f"{id_}_{number}"
        used.add(fresh)
        found.append(ToolCall(fresh, _name(call.name), call.arguments))
    return tuple(found)


def _name(name: object) -> str:
    text = name.strip() if isinstance(name, str) else ""
    return _ODD.sub("_", text)[:_LONGEST_NAME] or "unnamed"


def sendable(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return a valid conversation as providers like it: what a person says in a row is one."""
    merged: list[Message] = []
    for message in messages:
        last = merged[-1] if merged else None
        if last is not None and last.role == message.role == "user":
            text = "\n\n".join(part for part in (last.text, message.text) if part)
            merged[-1] = last._replace(text=text, media=last.media + message.media)
        else:
            merged.append(message)
    return tuple(merged)
