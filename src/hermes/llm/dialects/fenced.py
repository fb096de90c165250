"""The plain dialect, for models that were trained on none: JSON in a fence."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.base.messages import Json, Message, ToolCall
from hermes.llm.dialects.dialect import Dialect, call_json, function_of, listed

_HOW = """# Tools

You can use these tools, given as JSON, one a line:
{tools}

To use one, write a code block that is labelled tool_call, with its name and arguments as JSON:
```tool_call
{{"name": "the name", "arguments": {{"a parameter": "its value"}}}}
```
Several calls are several blocks. Stop after them: the answers come in the next message, in blocks \
that are labelled tool_answer. Never write such a block yourself."""


def _introduce(definitions: Sequence[Json]) -> str:
    return _HOW.format(tools=listed([function_of(one) for one in definitions]))


def _write_calls(calls: Sequence[ToolCall]) -> str:
    return "\n".join(f"```tool_call\n{call_json(call)}\n```" for call in calls)


def _write_answers(answers: Sequence[Message]) -> str:
    return "\n".join(f"```tool_answer {one.name}\n{one.text}\n```" for one in answers)


FENCED = Dialect("json", _introduce, _write_calls, _write_answers, ("```",))
