"""Every form of call that is marked by something no ordinary text has."""

from __future__ import annotations

import re

from hermes.llm.dialects import harmony
from hermes.llm.dialects.deepseek import BAR, GAP, token
from hermes.llm.dialects.forms import (
    UNREADABLE,
    Form,
    Found,
    Reader,
    Reading,
    Written,
    is_begun,
    mark_at,
    skip,
    wrapped,
)
from hermes.llm.dialects.named import named_json, token_call
from hermes.llm.dialects.pythonic import read_python
from hermes.llm.dialects.values import json_body
from hermes.llm.dialects.xml_bodies import Names, element_body, pair_body

_FUNCTION = Names("function", "parameter", has_lines=True)
_INVOKE = Names("invoke", "parameter")
_DSML = Names("invoke", "parameter", f"{BAR}DSML{BAR}")
_CALLS = f"{BAR}DSML{BAR}function_calls"
_NO = re.compile("")
_CODE = re.compile(r"\s*(?:[\w.]+\(|import |[\w.]+ *=)")


def _tags(name: str) -> Form:
    close = f"</{name}>"
    bodies: list[Reader] = [
        json_body((close,), (f"<{name}>",)),
        element_body(_FUNCTION),
        element_body(_INVOKE),
        pair_body,
        named_json(_NO, ("{",), (close,)),
    ]
    return wrapped((f"<{name}>",), (close,), bodies)


def _alone(names: Names, closes: tuple[str, ...]) -> Form:
    """A call without the tag that should stand around it, though that may be closed."""
    read_one = element_body(names)

    def read(text: str, start: int, is_over: bool) -> Reading:
        found = read_one(text, start, is_over)
        if not isinstance(found, Found):
            return found
        at = skip(text, found.end)
        if not is_over and is_begun(text, at, closes):
            return "wait"
        close = mark_at(text, at, closes)
        return found._replace(end=at + len(close)) if close else found

    return Form(names.opens(), read)


def _python_tag(text: str, start: int, is_over: bool) -> Reading:
    """Calls of Llama after its tag: JSON, several of them, or Python."""
    found = _LLAMA_JSON.read(text, start, is_over)
    if found is not None:
        return found
    begin = text.index(">", start) + 1
    ends = [place for mark in _LLAMA_ENDS if (place := text.find(mark, begin)) >= 0]
    if not ends and not is_over:
        return "wait"
    until = min(ends, default=len(text))
    body = text[begin:until]
    calls = read_python(body)
    if calls is None and _CODE.match(body):
        calls = (Written(UNREADABLE, body.strip()),)
    mark = mark_at(text, until, _LLAMA_ENDS) or ""
    return Found(until + len(mark), calls) if calls else None


_LLAMA_TAGS = ("<|python_tag|>", "<|python_start|>")
_LLAMA_ENDS = ("<|eom_id|>", "<|eot_id|>", "<|python_end|>", "<|eot|>")
_LLAMA_JSON = wrapped(_LLAMA_TAGS, _LLAMA_ENDS, [json_body((), (*_LLAMA_TAGS, *_LLAMA_ENDS))])

_BETWEEN = re.compile(r"(?:\[CALL_ID\][\w-]*)?\s*(?:\[ARGS\])?\s*")
_MISTRAL = ("[TOOL_CALLS]",)
MISTRAL = wrapped(
    _MISTRAL,
    ("</s>", "[/TOOL_CALLS]"),
    [
        json_body((), _MISTRAL),
        named_json(_BETWEEN, ("[CALL_ID]", "[ARGS]", "{"), _MISTRAL),
    ],
)


def _tokens(bar: str, gap: str) -> tuple[Form, ...]:
    """DeepSeek's tokens, as they are and as some servers write them."""
    words = ("tool calls begin", "tool calls end", "tool call begin", "tool call end", "tool sep")
    *sections, begin, end, middle = (token(one, bar, gap) for one in words)
    call = token_call(begin, middle, end, (begin, sections[1]))
    return Form((begin,), call), Form((*sections, end), _silent((*sections, end)))


def _silent(marks: tuple[str, ...]) -> Reader:
    """Marks that say nothing by themselves."""

    def read(text: str, start: int, _is_over: bool) -> Reading:
        return Found(start + len(mark_at(text, start, marks) or ""))

    return read


_KIMI = tuple(
    f"<|tool_call{rest}|>" for rest in ("s_section_begin", "s_section_end", "_begin", "_end")
)
_KIMI_CALL = token_call(_KIMI[2], "<|tool_call_argument_begin|>", _KIMI[3], (_KIMI[2], _KIMI[1]))

FORMS: tuple[Form, ...] = (
    _tags("tool_call"),
    _tags("tool_calls"),
    _tags("function_call"),
    _tags("minimax:tool_call"),
    _tags("function_calls"),
    wrapped(("<|tool_call|>",), ("<|/tool_call|>", "</|tool_call|>"), [json_body(())]),
    _alone(_FUNCTION, ("</tool_call>",)),
    _alone(_INVOKE, ("</function_calls>", "</tool_call>")),
    wrapped((f"<{_CALLS}>",), (f"</{_CALLS}>",), [element_body(_DSML)]),
    _alone(_DSML, (f"</{_CALLS}>",)),
    Form(_LLAMA_TAGS, _python_tag),
    MISTRAL,
    *_tokens(BAR, GAP),
    *_tokens("|", GAP),
    *_tokens(BAR, "_"),
    *_tokens(BAR, " "),
    Form((_KIMI[2],), _KIMI_CALL),
    Form((_KIMI[0], _KIMI[1], _KIMI[3]), _silent((_KIMI[0], _KIMI[1], _KIMI[3]))),
    *harmony.FORMS,
)
