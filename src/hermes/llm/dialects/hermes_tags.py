"""The dialect of Hermes and Qwen: JSON between ``<tool_call>`` tags."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.base.messages import Json, Message, ToolCall
from hermes.llm.dialects.dialect import Dialect, call_json, listed

_HOW = """# Tools

You can call tools. Their signatures are between <tools> and </tools>, one JSON object a line:
<tools>
{tools}
</tools>

To call a tool, write its name and arguments as a JSON object between <tool_call> tags:
<tool_call>
{{"name": "the name", "arguments": {{"a parameter": "its value"}}}}
</tool_call>
Several calls are written one after the other. Stop after your calls: the answers come in the next \
message, between <tool_response> tags, in the order of the calls."""


def introduce(definitions: Sequence[Json]) -> str:
    """Tell of the tools and of the tags."""
    return _HOW.format(tools=listed(definitions))


def write_calls(calls: Sequence[ToolCall]) -> str:
    """Return calls between tags."""
    return "\n".join(f"<tool_call>\n{call_json(call)}\n</tool_call>" for call in calls)


def write_answers(answers: Sequence[Message]) -> str:
    """Return answers between tags."""
    return "\n".join(f"<tool_response>\n{one.text}\n</tool_response>" for one in answers)


HERMES = Dialect("hermes", introduce, write_calls, write_answers, ("</tool_response", "<tool_call"))
