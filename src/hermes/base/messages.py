"""What travels: JSON values, a call, and the messages of a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict of those."""


class ToolCall(NamedTuple):
    """Ask for one tool by name; arguments are an object or, as models send them, JSON text."""

    id: str
    name: str
    arguments: Json


class Media(NamedTuple):
    """An image or a sound inside a message: its bytes as base64, or an address."""

    kind: Literal["image", "audio"]
    type: str
    """Its media type, such as ``image/png``."""
    data: str = ""
    url: str = ""


Role = Literal["system", "user", "assistant", "tool"]


NOTHING: Mapping[str, Json] = MappingProxyType({})
OURS = "hermes"
"""The name under which a message's ``extra`` keeps what is for hermes and for no provider."""


class Message(NamedTuple):
    """One message of a conversation, the same for every provider.

    An assistant's carries its calls; each is answered by a ``tool`` message with its ``call_id``.
    """

    role: Role
    text: str = ""
    media: tuple[Media, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    call_id: str = ""
    name: str = ""
    """The tool that a ``tool`` message answers for."""
    extra: Mapping[str, Json] = NOTHING
    """What one provider wants back unchanged, by its name: signatures, ids of items."""


_NESTED = (dict, list)


def own(value: Any) -> Any:
    """Return a copy of JSON values that shares no list or object with the original."""
    if type(value) is list:
        return [own(item) if type(item) in _NESTED else item for item in value]
    if type(value) is not dict:
        return value
    copy = dict(value)
    for key, item in copy.items():
        if type(item) in _NESTED:
            copy[key] = own(item)
    return copy
