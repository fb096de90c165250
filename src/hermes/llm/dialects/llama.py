"""The dialects of Llama: JSON with "parameters", and Python lists of calls."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.base.messages import Json, Message, ToolCall
from hermes.llm.dialects.dialect import Dialect, arguments_text, call_json, function_of, listed

_JSON = """You can call these functions:

{tools}

To call functions, answer with nothing but one JSON object a line, each in the form \
{{"name": function name, "parameters": dictionary of argument name and its value}}. Do not use \
variables. Their answers come in the next message. When no function is needed, answer in words."""

_PYTHON = """You can call these functions, given as JSON:

{tools}

To call functions, answer with nothing but a list in the form \
[func_name(param="value", other=1), func_name()]. Use names and keyword arguments as they are \
defined. Their answers come in the next message. When no function is needed, answer in words."""


def _introduce_json(definitions: Sequence[Json]) -> str:
    return _JSON.format(tools=listed(definitions))


def _introduce_python(definitions: Sequence[Json]) -> str:
    return _PYTHON.format(tools=listed([function_of(one) for one in definitions]))


def _write_json(calls: Sequence[ToolCall]) -> str:
    return "\n".join(call_json(call, "parameters") for call in calls)


def _write_python(calls: Sequence[ToolCall]) -> str:
    return f"[{', '.join(map(_python, calls))}]"


def _python(call: ToolCall) -> str:
    if not isinstance(call.arguments, dict):
        return f"{call.name}({arguments_text(call)})"
    given = ", ".join(f"{key}={value!r}" for key, value in call.arguments.items())
    return f"{call.name}({given})"


def _write_answers(answers: Sequence[Message]) -> str:
    return "\n".join(f"Answer of {one.name or 'the function'}: {one.text}" for one in answers)


LLAMA = Dialect("llama", _introduce_json, _write_json, _write_answers, ("<|",))
PYTHONIC = Dialect("pythonic", _introduce_python, _write_python, _write_answers, ("<|",))
