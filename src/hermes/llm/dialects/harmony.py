"""Read the channels of gpt-oss: what it thinks, what it says, and the calls it makes."""

from __future__ import annotations

import re

from hermes.llm.dialects.forms import Form, Found, Reading, Written, first_of, mark_at
from hermes.llm.dialects.values import arguments_of, clean

_ENDS = ("<|end|>", "<|call|>", "<|return|>", "<|start|>", "<|channel|>")
_STRAY = ("<|end|>", "<|return|>", "<|call|>")
_HEADER = re.compile(
    r"(?:<\|start\|>\s*assistant\b(\s+to=[\w.:-]+)?\s*)?"
    r"(?:<\|channel\|>\s*((?:analysis|commentary|final)\b(?:\s+to=[\w.:-]+)?)\s*(?:json|code)?\s*)?"
    r"(?:<\|constrain\|>\s*(?:json|code)?\s*)?<\|message\|>"
)
_TO = re.compile(r"\bto=([\w.:-]+)")
_MAX_HEADER = 400


def _read(text: str, start: int, is_over: bool) -> Reading:
    header = _HEADER.match(text, start)
    if header is None:
        unsure = len(text) - start < _MAX_HEADER and "<|message|>" not in text[start:]
        return "wait" if unsure and not is_over else None
    about = f"{header[1] or ''} {header[2] or ''}"
    to = _TO.search(about)
    if to is None and "analysis" not in about:
        return Found(header.end())
    end = first_of(text, header.end(), _ENDS)
    if end < 0 and not is_over:
        return "wait"
    until = end if end >= 0 else len(text)
    body = text[header.end() : until]
    after = until + len(mark_at(text, until, _STRAY) or "")
    if to is None:
        return Found(after, thought=body)
    return Found(after, (Written(clean(to[1]), arguments_of(body)),))


def _nothing(text: str, start: int, _is_over: bool) -> Reading:
    return Found(start + len(mark_at(text, start, _STRAY) or ""))


FORMS = (Form(("<|start|>", "<|channel|>"), _read), Form(_STRAY, _nothing))
