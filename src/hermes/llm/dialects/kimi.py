"""The dialect of Kimi K2: tokens around a numbered name and JSON."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.base import json
from hermes.base.messages import Json, Message, ToolCall
from hermes.llm.dialects.dialect import Dialect, arguments_text

_HOW = """# Tools

{tools}

To call tools, write your calls in exactly this form and stop:
<|tool_calls_section_begin|><|tool_call_begin|>functions.the_name:0<|tool_call_argument_begin|>\
{{"a_parameter": "its value"}}<|tool_call_end|><|tool_calls_section_end|>
Several calls stand one after the other in the section, numbered from 0. The answers come in the \
next message."""


def _introduce(definitions: Sequence[Json]) -> str:
    return _HOW.format(tools=json.encode(list(definitions)))


def _write_calls(calls: Sequence[ToolCall]) -> str:
    written = "".join(
        f"<|tool_call_begin|>functions.{call.name}:{number}<|tool_call_argument_begin|>"
        f"{arguments_text(call)}<|tool_call_end|>"
        for number, call in enumerate(calls)
    )
    return f"<|tool_calls_section_begin|>{written}<|tool_calls_section_end|>"


def _write_answers(answers: Sequence[Message]) -> str:
    return "\n".join(
        f"## Return of functions.{one.name}:{number}\n{one.text}"
        for number, one in enumerate(answers)
    )


KIMI = Dialect("kimi", _introduce, _write_calls, _write_answers, ("<|",))
