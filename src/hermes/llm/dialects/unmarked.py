"""Read calls without a mark of their own: fenced JSON, bare JSON, a Python list of calls.

Any of these may be an ordinary part of an answer. So they are calls only when every name in them is
a tool on offer, and where they stand says that they are meant: a fence that is labelled as a call,
or after which nothing more is said; JSON that begins a line; a list that begins the answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from hermes.llm.dialects.forms import Found, Reading, Written, is_begun, skip
from hermes.llm.dialects.pythonic import end_of, read_python
from hermes.llm.dialects.values import explicit_calls, explicitly_salvaged, value_at

_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*(?:\r?\n|(?=[{\[]))")
_FENCE_BEGUN = re.compile(r"(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*\r?\Z")
_CALLED = ("tool_call", "tool_calls", "tool_code", "function_call")
_LABELS = ("json", "", *_CALLED)
_KEYS = "name|tool|tool_name|function|type|id|arguments|parameters|args"
_OBJECT = re.compile(rf"\{{\s*\"(?:{_KEYS})\"\s*:|\[\s*\{{\s*\"(?:{_KEYS})\"\s*:")
_OBJECT_BEGUN = re.compile(r"\[?\s*(?:\{\s*(?:\"[a-z_]*(?:\"\s*)?)?)?\Z")
_LIST = re.compile(r"\[\s*[A-Za-z_][\w.]*\(")
_LIST_BEGUN = re.compile(r"\[\s*(?:[A-Za-z_][\w.]*)?\Z")
_LIST_END = re.compile(r"\)\s*,?\s*\]")
_TAIL = 64
_MAX_FENCES = 32
_NEXT = re.compile(r"[ \t]*;?[ \t]*")
_MAX_HEADER = 80


def is_fence_begun(text: str, at: int) -> bool:
    """Say whether the text ends within the line that opens a fence."""
    return len(text) - at < _MAX_HEADER and bool(_FENCE_BEGUN.match(text, at))


def fence_at(text: str, start: int, names: Collection[str], is_over: bool) -> Reading:
    """Read a fence that holds calls and nothing else.

    An ordinary fence counts if nothing is said after it but more such fences, up to a few.
    """
    calls: list[Written] = []
    at = start
    for _ in range(_MAX_FENCES):
        found = _one_fence(text, at, names, is_over)
        if not isinstance(found, Found):
            return found
        calls += found.calls
        at = skip(text, found.end)
        if found.thought in _CALLED:
            return Found(found.end, tuple(calls))
        if at == len(text):
            return Found(found.end, tuple(calls)) if is_over else "wait"
        if not is_over and is_begun(text, at, ("```", "~~~")):
            return "wait"
    return None


def _one_fence(text: str, start: int, names: Collection[str], is_over: bool) -> Reading:
    """Read the calls of one fence; what it is labelled is told as the thought."""
    opened = _FENCE.match(text, start)
    if opened is None:
        return "wait" if not is_over and is_fence_begun(text, start) else None
    label = opened[2].lower()
    inside = skip(text, opened.end())
    if label not in _LABELS or (is_over and inside == len(text)):
        return None
    if inside == len(text):
        return "wait"
    if label != "tool_code" and not _may_be_object(text, inside, is_over):
        return None
    closed = _CLOSE[opened[1][0]].search(text, inside)
    if closed is None and is_over:
        closed = re.compile(rf"{re.escape(opened[1])}(?=\s*\Z)").search(text, inside)
    if closed is None and not is_over:
        return "wait"
    body = text[inside : closed.start() if closed else len(text)]
    calls = _offered(body, names)
    return Found(closed.end() if closed else len(text), calls, label) if calls else None


_CLOSE = {"`": re.compile(r"\n[ \t]*`{3,}"), "~": re.compile(r"\n[ \t]*~{3,}")}


def _offered(body: str, names: Collection[str]) -> tuple[Written, ...]:
    """Return the calls that a text is, when nothing else is in it and all are on offer."""
    calls: list[Written] = []
    at = skip(body, 0)
    while at < len(body):
        found = value_at(body, at)
        some = explicit_calls(found[0]) if found else None
        if found is None or some is None:
            calls = list(read_python(body) or explicitly_salvaged(body))
            break
        calls += some
        at = skip(body, found[1], re.compile(r"[\s,;]*"))
    return tuple(calls) if all(one.name in names for one in calls) else ()


def _may_be_object(text: str, at: int, is_over: bool) -> bool:
    return bool(_OBJECT.match(text, at)) or (not is_over and bool(_OBJECT_BEGUN.match(text, at)))


def bare_at(text: str, start: int, names: Collection[str], is_over: bool) -> Reading:
    """Read JSON that is a call on offer, at the beginning of a line."""
    if not _may_be_object(text, start, is_over):
        return None
    found = value_at(text, start)
    if found is None:
        if not is_over:
            return "wait"
        calls = explicitly_salvaged(text[start:])
        return Found(len(text), calls) if calls and calls[0].name in names else None
    given = explicit_calls(found[0])
    if given is None or any(one.name not in names for one in given):
        return None
    after = skip(text, found[1], _NEXT)
    if after == len(text) and not is_over:
        return "wait"
    return Found(after if ";" in text[found[1] : after] else found[1], given)


def list_at(text: str, start: int, names: Collection[str], is_over: bool) -> Reading:
    """Read a Python list of calls on offer."""
    if not _LIST.match(text, start):
        return "wait" if not is_over and _LIST_BEGUN.match(text, start) else None
    if not is_over and not _LIST_END.search(text[-_TAIL:]):
        return "wait"  # reading Python is slow: it is not tried with every piece of a long call
    end = end_of(text, start)
    if not is_over and end in (-1, len(text)):
        return "wait"
    calls = read_python(text[start:end]) if end >= 0 else None
    is_link = text.startswith("(", end)
    if not calls or is_link or any(one.name not in names for one in calls):
        return None
    return Found(end, calls)
