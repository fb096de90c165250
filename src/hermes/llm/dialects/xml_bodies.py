"""Read calls whose arguments are elements: ``<function=…>``, ``<invoke …>`` and ``<arg_key>``.

The values stay texts, as they were written; the schema says what becomes of them. A call that ends
in the middle of a value keeps its arguments as the text that came, so that nothing half is done.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hermes.base.messages import Json
from hermes.llm.dialects.forms import Found, Reader, Reading, Written, is_begun, skip
from hermes.llm.dialects.values import arguments_of, clean

_TAG = (
    r"(?:=|\s+name\s*=)\s*[\"']?([^<>\"'\n]{1,200}?)[\"']?(?:\s+[\w-]+=[\"'][^\"'<>\n]*[\"'])*\s*>"
)
_MAX_HEADER = 300


class Names(NamedTuple):
    """How the elements of a call are called."""

    call: str
    parameter: str
    prefix: str = ""
    """What stands before each name, as DeepSeek V3.2 has it."""

    has_lines: bool = False
    """Whether values stand on lines of their own: their first and last break is not theirs."""

    def opens(self) -> tuple[str, ...]:
        """Return the marks that a call begins with."""
        return (f"<{self.prefix}{self.call}=", f"<{self.prefix}{self.call} name=")


def element_body(names: Names) -> Reader:
    """Return the reader of one call: ``<function=f><parameter=a>1</parameter></function>``."""
    call, parameter = names.prefix + names.call, names.prefix + names.parameter
    head = re.compile(f"<{re.escape(call)}{_TAG}")
    value = _Element(
        re.compile(f"<{re.escape(parameter)}{_TAG}"),
        f"</{parameter}>",
        re.compile(rf"\s*(?:<{re.escape(parameter)}[=\s]|\Z)"),
    )
    closing = re.compile(rf"</{re.escape(parameter)}>\s*</{re.escape(call)}>")
    end_mark = f"</{call}>"

    def read(text: str, start: int, is_over: bool) -> Reading:
        header = head.match(text, start)
        if header is None:
            return _no_header(text, start, names.opens(), is_over=is_over)
        inside = header.end()
        close = text.find(end_mark, inside)
        place = skip(text, inside)
        if not is_over and is_begun(text, place, (f"<{parameter}", end_mark)):
            return "wait"
        if text.startswith(f"<{parameter}", place):
            match = closing.search(text, inside)
            close = match.end() - len(end_mark) if match else -1 if not is_over else close
        if close < 0 and not is_over:
            return "wait"
        until, end = (close, close + len(end_mark)) if close >= 0 else (len(text), len(text))
        given = _given(text[inside:until], value)
        if names.has_lines and isinstance(given, dict):
            given = {key: _line(one) for key, one in given.items()}
        return Found(end, (Written(clean(header[1]), given),))

    return read


def _line(value: Json) -> Json:
    return value.removeprefix("\n").removesuffix("\n") if isinstance(value, str) else value


def _no_header(text: str, start: int, opens: tuple[str, ...], *, is_over: bool) -> Reading:
    if is_over:
        return None
    if is_begun(text, start, opens):
        return "wait"
    is_open = text.startswith(opens, start) and len(text) - start < _MAX_HEADER
    return "wait" if is_open and not re.search(r"[>\n]", text[start:]) else None


class _Element(NamedTuple):
    """How one argument is written: its head with the name, its end, and what may follow that."""

    head: re.Pattern[str]
    end: str
    follows: re.Pattern[str]


def _given(inside: str, value: _Element) -> Json:
    """Return the values by name, or the text when some of it is no value."""
    if inside.lstrip().startswith("{"):
        return arguments_of(inside)
    return _values(inside, value)


def _values(inside: str, value: _Element) -> Json:
    given: dict[str, Json] = {}
    at = skip(inside, 0)
    while at < len(inside):
        head = value.head.match(inside, at)
        end = _end(inside, head.end(), value) if head else -1
        if head is None or end < 0 or head[1].strip() in given:
            return inside.strip()
        given[head[1].strip()] = inside[head.end() : end]
        at = skip(inside, end + len(value.end))
    return given


def _end(inside: str, at: int, value: _Element) -> int:
    """Return where a value ends: at a closing mark after which the next one begins, or nothing."""
    place = inside.find(value.end, at)
    while place >= 0 and not value.follows.match(inside, place + len(value.end)):
        place = inside.find(value.end, place + 1)
    return place


_NAME = re.compile(r"[A-Za-z_][\w.:-]{0,127}\s*")
_PAIR = _Element(
    re.compile(r"<arg_key>([^<>]{1,200})</arg_key>\s*<arg_value>"),
    "</arg_value>",
    re.compile(r"\s*(?:<arg_key>|\Z)"),
)
_PAIRS_END = re.compile(r"</arg_value>\s*(?=</tool_call>)")


def pair_body(text: str, start: int, is_over: bool) -> Reading:
    """Read a name with pairs of ``<arg_key>`` and ``<arg_value>``, up to ``</tool_call>``."""
    name = _NAME.match(text, start)
    if name is None:
        return None
    inside, marks = name.end(), ("<arg_key>", "</tool_call>")
    if not text.startswith(marks, inside):
        return "wait" if not is_over and is_begun(text, inside, marks) else None
    end = inside
    if text.startswith("<arg_key>", inside):
        match = _PAIRS_END.search(text, inside)
        if match is None and not is_over:
            return "wait"
        close = text.find("</tool_call>", inside)
        end = match.end() if match else close if close >= 0 else len(text)
    return Found(end, (Written(clean(name[0]), _values(text[inside:end], _PAIR)),))
