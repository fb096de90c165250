"""Make a conversation fit to be sent: names, ids and arguments as every service takes them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from hermes.base.json import NotJson, decode
from hermes.base.messages import Json, Media, Message, ToolCall

_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64


def system_of(messages: Iterable[Message]) -> str:
    """Return what the system says, as one text."""
    return "\n\n".join(m.text for m in messages if m.role == "system" and m.text)


def arguments_of(call: ToolCall) -> dict[str, Json]:
    """Return a call's arguments as an object; what is none stands under ``invalid_arguments``."""
    given = call.arguments
    if isinstance(given, str):
        try:
            given = decode(given) if given.strip() else {}
        except NotJson:
            return {"invalid_arguments": call.arguments}
    if given is None:
        return {}
    return given if isinstance(given, dict) else {"invalid_arguments": given}


def safe_name(name: str) -> str:
    """Return a tool's name as every service takes it back, also one that a model made up."""
    return _UNSAFE.sub("_", name)[:_LONGEST_NAME] or "unknown"


def safe_id(given: str) -> str:
    """Return a call's id in letters that every service takes."""
    return _UNSAFE.sub("_", given)[:_LONGEST_NAME] or "call"


def new_id() -> str:
    """Return an id for a call that came without one."""
    return f"call_{os.urandom(10).hex()}"


def address(media: Media) -> str:
    """Return where an image or a sound is found: its address, or all of it in a data URL."""
    return media.url or f"data:{media.type};base64,{media.data}"


def cannot_send(media: Media) -> str:
    """Return what a model reads in the place of something it cannot be sent."""
    return f"[{media.kind} ({media.type}) left out: this model's service does not take it]"
