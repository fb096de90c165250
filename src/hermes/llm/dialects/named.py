"""Read calls that are a name, a mark and JSON, between marks: DeepSeek, Kimi, Mistral."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hermes.llm.dialects.forms import (
    UNREADABLE,
    Found,
    Reader,
    Reading,
    Written,
    first_of,
    is_begun,
)
from hermes.llm.dialects.values import arguments_of, clean, value_at

_NAME = re.compile(r"\s*([A-Za-z_][\w.:-]{0,127})\s*")
_FENCED = re.compile(r"\s*([\w.:-]+)\s*```(?:json)?\s*(.*?)\s*(?:```)?\s*\Z", re.S)


def token_call(begin: str, middle: str, end: str, others: Sequence[str]) -> Reader:
    """Return the reader of ``begin name middle JSON end``; others are marks that may follow."""

    def read(text: str, start: int, is_over: bool) -> Reading:
        inside = start + len(begin)
        close = first_of(text, inside, (end, *others))
        if close < 0 and not is_over:
            return "wait"
        until = close if close >= 0 else len(text)
        after = until + len(end) if text.startswith(end, until) else until
        return Found(after, (_split(text[inside:until], middle),))

    return read


def _split(body: str, middle: str) -> Written:
    name, mark, rest = body.partition(middle)
    fenced = _FENCED.match(rest) if mark else None
    if fenced:
        name, rest = fenced[1], fenced[2]
    if mark and name.strip():
        return Written(clean(name), arguments_of(rest))
    loose = _NAME.match(body)
    if loose and body[loose.end() : loose.end() + 1] in ("{", ""):
        return Written(clean(loose[1]), arguments_of(body[loose.end() :]))
    return Written(UNREADABLE, body.strip())


def named_json(between: re.Pattern[str], begun: Sequence[str], stops: Sequence[str]) -> Reader:
    """Return the reader of a name, perhaps some marks between, and a JSON object."""

    def read(text: str, start: int, is_over: bool) -> Reading:
        name = _NAME.match(text, start)
        if name is None:
            return None
        match = between.match(text, name.end())
        at = match.end() if match else name.end()
        if not is_over and (at == len(text) or is_begun(text, at, begun)):
            return "wait"
        if text[at : at + 1] != "{":
            return None
        found = value_at(text, at)
        if found is not None:
            return Found(found[1], (Written(clean(name[1]), found[0]),))
        close = first_of(text, at, stops)
        if not is_over:
            return "wait"
        until = close if close >= 0 else len(text)
        return Found(until, (Written(clean(name[1]), text[at:until].strip()),))

    return read
