"""Read the tool calls out of a model's message, in any dialect, and answer in the same one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from hermes.base import json
from hermes.base.messages import Json, ToolCall
from hermes.runtime.results import Answer

Dialect = Literal["openai", "openai-responses", "anthropic", "gemini", "plain"]


class Asked(NamedTuple):
    """One call as it was asked; ``problem`` says why it cannot be made."""

    call: ToolCall
    dialect: Dialect
    problem: str | None = None


class _Unreadable(NamedTuple):
    """What stands where a call should, with why it is none."""

    why: str


def read(message: Any) -> list[Asked]:
    """Return the calls of a message, in order; what is malformed is kept with its problem."""
    asked = [_asked(item) for item in _items(message)]
    given = {one.call.id for one in asked}
    return [one if one.call.id else _with_id(one, given) for one in asked]


def _with_id(asked: Asked, taken: set[str]) -> Asked:
    """Give a call that came without one an id that no other call of the message has."""
    number = 1
    while f"call_{number}" in taken:
        number += 1
    taken.add(f"call_{number}")
    return asked._replace(call=asked.call._replace(id=f"call_{number}"))


def _items(message: Any) -> list[Any]:
    if isinstance(message, (str, bytes)):
        try:
            message = json.decode(message)
        except json.NotJson as error:
            return [_Unreadable(f"the message is not JSON: {error}")]
    message = _as_mapping(message)
    if isinstance(message, list):
        return [_as_mapping(item) for item in message]
    if not isinstance(message, Mapping):
        return [
            _Unreadable(f"a message with tool calls is an object, not {type(message).__name__}")
        ]
    calls = message.get("tool_calls")
    if calls is None:
        calls = _content_calls(message)
    if isinstance(calls, (str, bytes)):
        return _items(calls)
    if isinstance(calls, Mapping):
        return [calls]
    if not isinstance(calls, Iterable):
        return [_Unreadable(f"'tool_calls' must be a list, not {type(calls).__name__}")]
    return [_as_mapping(item) for item in calls]


def _content_calls(message: Mapping[str, Any]) -> list[Any]:
    """Anthropic's content blocks, Gemini's parts, Responses' output items, or one bare call."""
    for key in ("content", "output", "parts"):
        blocks = message.get(key)
        if isinstance(blocks, list):
            return [block for block in map(_as_mapping, blocks) if _is_call(block)]
    return [message] if _is_call(message) or "name" in message else []


def _is_call(block: Any) -> bool:
    if not isinstance(block, Mapping):
        return False
    return block.get("type") in ("tool_use", "function_call", "function") or "functionCall" in block


def _as_mapping(value: Any) -> Any:
    """Accept the objects of provider SDKs for the dicts they stand for."""
    dump = getattr(value, "model_dump", None)
    if not callable(dump):
        return value
    try:
        return dump()
    except Exception as error:  # one odd object must not lose the others' answers
        return _Unreadable(f"a tool call could not be read: {type(error).__name__}")


def _asked(item: Any) -> Asked:
    if isinstance(item, _Unreadable):
        return Asked(ToolCall("", "", None), "plain", item.why)
    if not isinstance(item, Mapping):
        problem = f"a tool call is an object with a name and arguments, not {type(item).__name__}"
        return Asked(ToolCall("", "", None), "plain", problem)
    dialect, body, id_ = _dialect(item)
    call_id = "" if id_ is None else str(id_)
    name = body.get("name")
    if not isinstance(name, str) or not name.strip():
        problem = "the tool call has no 'name'"
        return Asked(ToolCall(call_id, "", None), dialect, problem)
    return Asked(ToolCall(call_id, name.strip(), _arguments(body)), dialect)


def _dialect(item: Mapping[str, Any]) -> tuple[Dialect, Mapping[str, Any], Any]:
    kind = item.get("type")
    if isinstance(item.get("function"), Mapping):
        return "openai", item["function"], item.get("id")
    if isinstance(item.get("functionCall"), Mapping):
        return "gemini", item["functionCall"], item["functionCall"].get("id")
    if kind == "tool_use":
        return "anthropic", item, item.get("id")
    if kind == "function_call":
        return "openai-responses", item, item.get("call_id") or item.get("id")
    return "plain", item, item.get("id") or item.get("call_id") or item.get("tool_call_id")


def _arguments(body: Mapping[str, Any]) -> Json:
    for key in ("arguments", "input", "args", "parameters"):
        if key in body:
            return body[key]
    return {}


def message(asked: Asked, name: str, answer: Answer) -> dict[str, Any]:
    """Return the answer to one call as its dialect wants it, under the call's id."""
    call_id = asked.call.id
    content, code = answer
    if asked.dialect == "anthropic":
        block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
        return block if code == "ok" else {**block, "is_error": True}
    if asked.dialect == "openai-responses":
        return {"type": "function_call_output", "call_id": call_id, "output": content}
    if asked.dialect == "gemini":
        body = {"name": name, "response": json.decode(content)}
        return {"functionResponse": {"id": call_id, **body}}
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": content}


def results(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Return answers in the ``tool_results`` form, with each result as a value instead of text."""
    found = []
    for item in messages:
        value = json.decode(item["content"])
        failed = isinstance(value.get("error"), str)
        body = value if failed else {"result": value}
        known = {"id": item["tool_call_id"], "name": item["name"], "success": not failed}
        found.append({**known, **body})
    return {"tool_results": found}


def as_plain(asked: list[Asked]) -> dict[str, Any]:
    """Return calls of any dialect as the plain message that asks for the same."""
    return {
        "tool_calls": [
            {"id": call.id, "name": call.name, "arguments": call.arguments}
            for call in (one.call for one in asked)
        ]
    }
