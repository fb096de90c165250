"""Read the script of a model from a file: written steps, or a conversation that was recorded."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, get_args

from hermes.base import json
from hermes.base.errors import ConfigError
from hermes.base.messages import Json, ToolCall
from hermes.base.optional import load
from hermes.llm.contract import ModelError, Reply, Trouble, Usage
from hermes.llm.steps import Answer, Expected, Fault, Step

_FORMS = (
    "Write 'steps:' with a list of texts or of 'text', 'calls', 'error', 'expects', 'fault'; or "
    "give the messages of a conversation, each with 'role' and 'content'."
)
_STEP = {"text", "reasoning", "calls", "usage", "stop", "error", "expects", "slow_seconds", "fault"}
_MAX_BYTES = 64 * 1024 * 1024


class Script(NamedTuple):
    """What a file says: the steps, and how the model is called."""

    steps: list[Answer]
    name: str
    window: int = 128_000


def read(file: Path) -> Script:
    """Return the script in a YAML, JSON or JSONL file.

    Raises:
        ConfigError: the file cannot be read or is no script.
    """
    value = _value(file)
    name = f"scripted:{file.name}"
    try:
        if isinstance(value, list):
            return Script(_recorded(value) if _is_messages(value) else _steps(value), name)
        if not isinstance(value, dict):
            raise ValueError("there are neither steps nor messages in it")
        window = int(value.get("window", 128_000))
        if "steps" in value:
            return Script(_steps(value["steps"]), str(value.get("name", name)), window)
        return Script(_recorded(value["messages"]), str(value.get("name", name)), window)
    except (KeyError, TypeError, ValueError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ConfigError(f"not a script: {what}", file=file, hint=_FORMS) from error


def _value(file: Path) -> Json:
    try:
        text = file.read_text(encoding="utf-8-sig")
        if file.suffix == ".jsonl":
            return [json.decode(line) for line in text.splitlines() if line.strip()]
        if file.suffix == ".json":
            return json.decode(text)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot be read: {error}", file=file, hint=_FORMS) from error
    documents = load("hermes.base.yaml_lines").read(text, file=file, max_bytes=_MAX_BYTES)
    return documents[0].value if documents else None


def _is_messages(items: list[Json]) -> bool:
    return bool(items) and all(isinstance(item, dict) and "role" in item for item in items)


def _recorded(messages: Iterable[Any]) -> list[Answer]:
    """Return what the model said in a conversation; the other messages come from the loop."""
    return [_reply(one) for one in messages if one.get("role") == "assistant"]


def _reply(given: dict[str, Any]) -> Reply:
    calls = given.get("calls") or given.get("tool_calls") or ()
    text = given.get("text") or given.get("content") or ""
    if isinstance(text, list):
        text = "".join(part.get("text", "") for part in text)
    read = tuple(_call(one) for one in calls)
    return Reply(
        str(text),
        str(given.get("reasoning") or given.get("reasoning_content") or ""),
        read,
        given.get("stop") or ("calls" if read else "end"),
        Usage(**given.get("usage") or {}),
    )


def _call(given: dict[str, Any]) -> ToolCall:
    body = given.get("function", given)
    return ToolCall(str(given.get("id") or ""), body["name"], body.get("arguments", {}))


def _steps(given: Iterable[Any]) -> list[Answer]:
    return [_step(one, number) for number, one in enumerate(given, start=1)]


def _step(given: Json, number: int) -> Answer:
    if isinstance(given, str):
        return given
    if not isinstance(given, dict):
        raise ValueError(f"step {number} is neither a text nor a mapping")
    if unknown := set(given) - _STEP:
        raise ValueError(f"step {number} has an unknown {sorted(unknown)[0]!r}")
    answer = _error(given["error"]) if "error" in given else _reply(given)
    return Step(
        answer,
        _expected(given.get("expects") or {}, number),
        float(given.get("slow_seconds", 0)),
        _one_of(get_args(Fault), given.get("fault"), number),
    )


def _error(given: Json) -> ModelError:
    if isinstance(given, str):
        return ModelError(given, trouble="refused")
    trouble = _one_of(get_args(Trouble), given.get("trouble", "refused"), None)
    message = given.get("message", f"the script says: {trouble}")
    return ModelError(message, trouble=trouble, wait_seconds=given.get("wait_seconds"))


def _expected(given: dict[str, Any], number: int) -> Expected:
    if unknown := set(given) - set(Expected._fields):
        raise ValueError(f"step {number} expects an unknown {sorted(unknown)[0]!r}")
    texts = {key: _texts(value) for key, value in given.items() if key != "messages"}
    return Expected(**texts, messages=given.get("messages"))


def _texts(given: Json) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(map(str, given))


def _one_of(choices: tuple[str, ...], given: Any, number: int | None) -> Any:
    if given is None or given in choices:
        return given
    where = f"step {number}: " if number else ""
    raise ValueError(f"{where}{given!r} is none of {', '.join(choices)}")
