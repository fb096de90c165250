"""Find calls in an answer that is complete, of a model that has a better way to make them."""

from __future__ import annotations

import secrets
from collections.abc import Collection

from hermes.base.messages import ToolCall
from hermes.llm.contract import Reply
from hermes.llm.dialects.forms import Found, Written
from hermes.llm.dialects.scanner import Said, Scanner
from hermes.llm.dialects.unmarked import bare_at, fence_at, list_at


def calls_in(text: str, names: Collection[str]) -> tuple[str, tuple[ToolCall, ...]]:
    """Return a text without the calls that are unmistakably in it, and these calls.

    Only calls of the names on offer count; anything else stays where it is. Calls without a mark
    of their own, such as fenced JSON, count when the text is nothing else.
    """
    thought, mark, said = text.rpartition("</think>")
    whole = _whole(said.strip(), names)
    if whole:
        return thought + mark, tuple(map(as_call, whole))
    scanner = Scanner(names, is_told=False)
    events = [*scanner.feed(said), *scanner.close()]
    calls = tuple(as_call(event) for event in events if isinstance(event, Written))
    if not calls:
        return text, ()
    rest = "".join(event.text for event in events if isinstance(event, Said))
    return thought + mark + rest, calls


def with_text_calls(reply: Reply, names: Collection[str]) -> Reply:
    """Return a reply whose text calls are calls, if it has no calls of its own."""
    if reply.calls or not reply.text:
        return reply
    text, calls = calls_in(reply.text, names)
    return reply._replace(text=text, calls=calls, stop="calls") if calls else reply


def as_call(written: Written) -> ToolCall:
    """Return a call with an id of its own."""
    return ToolCall(f"call_{secrets.token_hex(6)}", written.name, written.arguments)


def _whole(text: str, names: Collection[str]) -> list[Written]:
    """Return the calls that a text is made of, when it is made of nothing else."""
    calls: list[Written] = []
    while text:
        readings = (read(text, 0, names, True) for read in (fence_at, bare_at, list_at))
        found = next((one for one in readings if isinstance(one, Found)), None)
        if found is None:
            return []
        calls += found.calls
        text = text[found.end :].strip()
    return calls
