"""The dialect of GLM-4.5 and later: a name with keys and values in turn."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.base.messages import Json, ToolCall
from hermes.llm.dialects.dialect import Dialect, arguments_text, listed, texts_of
from hermes.llm.dialects.hermes_tags import write_answers

_HOW = """# Tools

You can call tools. Their signatures are between <tools> and </tools>, one JSON object a line:
<tools>
{tools}
</tools>

To call a tool, write its name, and each argument as a key and a value, in this form:
<tool_call>the_name
<arg_key>a_parameter</arg_key>
<arg_value>its value</arg_value>
</tool_call>
Several calls are written one after the other. Values that are no text are JSON. Stop after your \
calls: the answers come in the next message, between <tool_response> tags."""


def _introduce(definitions: Sequence[Json]) -> str:
    return _HOW.format(tools=listed(definitions))


def _write_calls(calls: Sequence[ToolCall]) -> str:
    return "\n".join(map(_call, calls))


def _call(call: ToolCall) -> str:
    pairs = "".join(
        f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n"
        for key, value in texts_of(call).items()
    )
    if not isinstance(call.arguments, dict):
        pairs = f"{arguments_text(call)}\n"
    return f"<tool_call>{call.name}\n{pairs}</tool_call>"


GLM = Dialect("glm", _introduce, _write_calls, write_answers, ("</tool_response", "<tool_call"))
