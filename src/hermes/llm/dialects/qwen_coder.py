"""The dialect of Qwen3-Coder: a function and its parameters as elements."""

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

To call a tool, write it in exactly this form, with each value as it is, on lines of its own:
<tool_call>
<function=the_name>
<parameter=a_parameter>
its value
</parameter>
</function>
</tool_call>
Several calls are written one after the other. Values that are lists or objects are JSON. Stop \
after your calls: the answers come in the next message, between <tool_response> tags."""


def _introduce(definitions: Sequence[Json]) -> str:
    return _HOW.format(tools=listed(definitions))


def _write_calls(calls: Sequence[ToolCall]) -> str:
    return "\n".join(map(_call, calls))


def _call(call: ToolCall) -> str:
    given = texts_of(call).items()
    inside = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in given)
    if not isinstance(call.arguments, dict):
        inside = f"{arguments_text(call)}\n"
    return f"<tool_call>\n<function={call.name}>\n{inside}</function>\n</tool_call>"


QWEN_CODER = Dialect(
    "qwen-coder", _introduce, _write_calls, write_answers, ("</tool_response", "<tool_call")
)
