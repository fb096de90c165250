"""The dialect of DeepSeek V3 and later: tokens around a name and JSON."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.base import json
from hermes.base.messages import Json, Message, ToolCall
from hermes.llm.dialects.dialect import Dialect, arguments_text, function_of

BAR, GAP = "\uff5c", "\u2581"

_HOW = """## Tools
You have access to the following tools:

{tools}

To use tools, write your calls in exactly this form, with no other text after them:
{example}
Several calls stand one after the other between the outer marks. The arguments are a JSON object. \
The answers come in the next message, in the order of the calls."""


def token(words: str, bar: str = BAR, gap: str = GAP) -> str:
    """Return the token that is called so, such as ``tool calls begin``."""
    return f"<{bar}{words.replace(' ', gap)}{bar}>"


def _introduce(definitions: Sequence[Json]) -> str:
    example = _write_calls([ToolCall("", "the_name", {"a_parameter": "its value"})])
    return _HOW.format(tools="\n\n".join(map(_tool, definitions)), example=example)


def _tool(definition: Json) -> str:
    about = function_of(definition)
    schema = json.encode(about.get("parameters", {}))
    return f"### {about['name']}\n{about.get('description', '')}\nParameters: {schema}"


def _write_calls(calls: Sequence[ToolCall]) -> str:
    begin, middle, end = token("tool call begin"), token("tool sep"), token("tool call end")
    each = (f"{begin}{call.name}{middle}{arguments_text(call)}{end}" for call in calls)
    return f"{token('tool calls begin')}{''.join(each)}{token('tool calls end')}"


def _write_answers(answers: Sequence[Message]) -> str:
    begin, end = token("tool output begin"), token("tool output end")
    return "".join(f"{begin}{one.text}{end}" for one in answers)


DEEPSEEK = Dialect("deepseek", _introduce, _write_calls, _write_answers, (f"<{BAR}",))
