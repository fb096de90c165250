"""The two messages that travel: a call, and its answer."""

from __future__ import annotations

from typing import Any, NamedTuple

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict of those."""


class ToolCall(NamedTuple):
    """Ask for one tool by name; arguments are an object or, as models send them, JSON text."""

    id: str
    name: str
    arguments: Json


class ToolMessage(NamedTuple):
    """Answer one call: always one JSON object as text, under the call's id."""

    call_id: str
    name: str
    content: str
    is_error: bool = False
