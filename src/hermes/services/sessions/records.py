"""What is kept of a session and of a message, and how a message becomes a row and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from hermes.base.json import UNSAYABLE
from hermes.base.messages import NOTHING, OURS, Json, Media, Message, ToolCall
from hermes.base.redact import Redactor
from hermes.services.sessions.words import searchable

Kind = Literal["chat", "fork", "child"]
"""How a session began: by itself, as a copy of another's beginning, or for a part of its task."""

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_OPENING = 200
SUMMARY = "summary"
"""What marks a summary in what is kept beside it."""
MESSAGE = "id, at, role, about, text, more"
"""The columns that make a `Stored`."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a session without reading its messages."""

    id: str
    kind: Kind
    parent: str
    """The session that it was forked from or works for; empty when there is none."""
    created: float
    updated: float
    messages: int
    calls: int
    input: int
    output: int
    cached: int
    reasoning: int
    dollars: float | None
    """None where no price is known."""
    title: str
    model: str
    source: str
    """Where it was held: ``cli``, ``gateway``, ``python``."""
    workspace: str
    opening: str
    """How its first question begins."""

    @property
    def name(self) -> str:
        """Return what a person calls it: its title, or how it begins."""
        return self.title or " ".join(self.opening.split()) or "(empty)"


FACTS = ", ".join(Facts.__dataclass_fields__)
"""The columns that make a `Facts`."""


class Stored(NamedTuple):
    """A message with its place: its id never changes and is never given to another."""

    id: int
    at: float
    message: Message
    about: Mapping[str, Json] = NOTHING


class Row(NamedTuple):
    """A message as its columns."""

    role: str
    about: str | None
    text: str
    asked: str
    words: str | None
    more: str | None


def redacted(message: Message, redactor: Redactor) -> Message:
    """Return a message without secrets; media stay as they are."""
    calls = tuple(call._replace(arguments=redactor.value(call.arguments)) for call in message.calls)
    return message._replace(
        text=redactor.text(message.text),
        reasoning=redactor.text(message.reasoning),
        calls=calls,
        extra=_unspoilt(message.extra, redactor) if message.extra else NOTHING,
    )


def _unspoilt(extra: Mapping[str, Json], redactor: Redactor) -> dict[str, Json]:
    """Return what is for us without secrets, and of providers what holds none.

    They sign what they want back, and refuse the whole conversation for one changed byte.
    """
    clean = {name: redactor.value(value) for name, value in extra.items()}
    return {name: value for name, value in clean.items() if name == OURS or value == extra[name]}


def packed(message: Message, about: Mapping[str, Any]) -> Row:
    """Return a message as a row."""
    asked, words = searchable(message)
    text, more = message.text, _more(message)
    if not _is_plain(text):
        text, more = "", {**more, "text": text}
    noted = dumped(dict(about)) if about else None
    return Row(message.role, noted, text, asked, words, dumped(more) if more else None)


def _more(message: Message) -> dict[str, Json]:
    """Return what a message has beyond its role and its text."""
    more: dict[str, Json] = {}
    if message.calls:
        more["calls"] = [list(call) for call in message.calls]
    if message.media:
        more["media"] = [list(each) for each in message.media]
    if message.extra:
        more["extra"] = dict(message.extra)
    for name in ("reasoning", "call_id", "name"):
        if value := getattr(message, name):
            more[name] = value
    return more


def unpacked(row: tuple[int, float, Any, str | None, str, str | None]) -> Stored:
    """Return the message of a row with the columns `MESSAGE`."""
    number, at, role, about, text, more = row
    if more is None:
        return Stored(number, at, Message(role, text), loaded(about) if about else NOTHING)
    has = loaded(more)
    message = Message(
        role,
        has.get("text", text),
        tuple(Media(*each) for each in has.get("media", ())),
        tuple(ToolCall(*each) for each in has.get("calls", ())),
        has.get("reasoning", ""),
        has.get("call_id", ""),
        has.get("name", ""),
        has.get("extra", NOTHING),
    )
    return Stored(number, at, message, loaded(about) if about else NOTHING)


def opening(message: Message) -> str:
    """Return how a first question begins."""
    return message.text[:_OPENING].encode("utf-8", "replace").decode().replace("\0", " ").strip()


def dumped(value: Json) -> str:
    """Return JSON text; half characters and large numbers too, as JSON's own escapes."""
    try:
        return _encode(value).decode()
    except UNSAYABLE:
        return json.dumps(value, separators=(",", ":"), default=str)


def loaded(text: str) -> Any:
    """Return the JSON value of a text that `dumped` wrote."""
    try:
        return _decode(text)
    except (msgspec.DecodeError, ValueError):
        return json.loads(text)


def _is_plain(text: str) -> bool:
    """Say whether SQLite can hold a text as it is."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
