"""A conversation as plain text, short enough to be summed up."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.agent.facts import is_note
from hermes.base import json
from hermes.base.messages import Message, ToolCall
from hermes.base.text import head_and_tail

_LONGEST_USER = 4_000
_LONGEST_SAID = 2_000
_LONGEST_CALL = 400
_LONGEST_ANSWER = 700


def transcript(messages: Sequence[Message], most_chars: int) -> str:
    """Return what was said and done, one paragraph each, cut in its middle to fit."""
    return head_and_tail(
        "\n\n".join(filter(None, map(_told, messages))),
        most_chars,
        note="… {omitted:,} characters of the middle of the conversation are left out …",
    )


def _told(message: Message) -> str:
    if message.role == "user":
        who = "NOTE" if is_note(message) else "USER"
        limit = _LONGEST_USER * 2 if is_note(message) else _LONGEST_USER
        return f"{who}: {head_and_tail(message.text, limit)}{_media(message)}"
    if message.role == "tool":
        text = head_and_tail(message.text, _LONGEST_ANSWER)
        return f"ANSWER of {message.name}: {text}{_media(message)}"
    lines = []
    if message.text:
        lines.append(f"ASSISTANT: {head_and_tail(message.text, _LONGEST_SAID)}")
    lines += [f"CALL: {_call(call)}" for call in message.calls]
    return "\n".join(lines)


def _call(call: ToolCall) -> str:
    given = call.arguments if isinstance(call.arguments, str) else json.encode(call.arguments)
    return f"{call.name} {head_and_tail(given, _LONGEST_CALL)}"


def _media(message: Message) -> str:
    return f" [{len(message.media)} images or sounds]" if message.media else ""
