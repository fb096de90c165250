"""What a dialect is: how tools, calls and answers are written for a family of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hermes.base import json
from hermes.base.messages import Json, Message, ToolCall


@dataclass(frozen=True, slots=True)
class Dialect:
    """The words of one family of models; reading is the same for all of them."""

    name: str
    introduce: Callable[[Sequence[Json]], str]
    """Tell of the tools on offer, and how to call them."""
    write_calls: Callable[[Sequence[ToolCall]], str]
    write_answers: Callable[[Sequence[Message]], str]
    closing: tuple[str, ...] = ()
    """Marks that must not stand in an answer, where they would end it early."""


def function_of(definition: Json) -> Json:
    """Return the name, description and parameters of a definition."""
    return definition.get("function", definition)


def listed(definitions: Sequence[Json]) -> str:
    """Return the definitions as JSON, one in a line."""
    return "\n".join(json.encode(definition) for definition in definitions)


def arguments_text(call: ToolCall) -> str:
    """Return a call's arguments as JSON; text that could not be read stays as it was written."""
    return call.arguments if isinstance(call.arguments, str) else json.encode(call.arguments)


def call_json(call: ToolCall, key: str = "arguments") -> str:
    """Return a call as a JSON object."""
    return f'{{"name":{json.encode(call.name)},"{key}":{arguments_text(call)}}}'


def texts_of(call: ToolCall) -> dict[str, str]:
    """Return the arguments as texts: those that are no text as JSON."""
    if not isinstance(call.arguments, dict):
        return {}
    given = call.arguments.items()
    return {key: one if isinstance(one, str) else json.encode(one) for key, one in given}


def harmless(text: str, marks: Sequence[str]) -> str:
    """Return an answer in which no mark of the dialect stands; JSON strings mean the same."""
    for mark in marks:
        text = text.replace(mark, f"\\u{ord(mark[0]):04x}{mark[1:]}")
    return text
