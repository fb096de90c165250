"""The dialect of Mistral: a list of calls after ``[TOOL_CALLS]``."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.base import json
from hermes.base.messages import Json, Message, ToolCall
from hermes.llm.dialects.dialect import Dialect, call_json

_HOW = """[AVAILABLE_TOOLS] {tools}[/AVAILABLE_TOOLS]

To call tools, write [TOOL_CALLS] and then a JSON list of calls, and stop:
[TOOL_CALLS] [{{"name": "the name", "arguments": {{"a parameter": "its value"}}}}]
The answers come in the next message, between [TOOL_RESULTS] and [/TOOL_RESULTS], in the order of \
the calls."""


def _introduce(definitions: Sequence[Json]) -> str:
    return _HOW.format(tools=json.encode(list(definitions)))


def _write_calls(calls: Sequence[ToolCall]) -> str:
    return f"[TOOL_CALLS] [{', '.join(map(call_json, calls))}]"


def _write_answers(answers: Sequence[Message]) -> str:
    return "\n".join(f"[TOOL_RESULTS] {one.text} [/TOOL_RESULTS]" for one in answers)


MISTRAL = Dialect(
    "mistral", _introduce, _write_calls, _write_answers, ("[/TOOL_RESULTS", "[TOOL_CALLS")
)
