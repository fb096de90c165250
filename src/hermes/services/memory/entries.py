"""The entries of a store: read out of its text, changed by operations, put together again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from hermes.base.errors import InvalidArguments, ToolError

SEPARATOR = "\n§\n"
_BORDER = re.compile(r"^[ \t]*§[ \t]*$", re.MULTILINE)
_PREVIEW = 80

Entries = tuple[str, ...]
Action = Literal["add", "replace", "remove"]
Show = Callable[[str], str]
"""Gives an entry as a model may read it."""


class Operation(NamedTuple):
    """One change: add an entry, or replace or remove the one that holds a text."""

    action: Action
    content: str = ""
    old_text: str = ""


class Outcome(NamedTuple):
    """What operations made of a store."""

    entries: Entries
    touched: frozenset[str]
    """Entries from before that were replaced or removed."""
    notes: tuple[str, ...] = ()


def parse(text: str) -> Entries:
    """Return the entries of a store's text, without the space around them."""
    parts = _BORDER.split(text.replace("\r\n", "\n"))
    return tuple(filter(None, (part.strip() for part in parts)))


def join(entries: Iterable[str]) -> str:
    """Return the text of a store."""
    return SEPARATOR.join(entries)


def apply(entries: Entries, operations: Sequence[Operation], show: Show) -> Outcome:
    """Return the entries after all operations, each seeing what those before it did.

    Raises:
        ToolError: an operation makes no sense or its text is not found exactly once.
    """
    now = list(entries)
    touched: set[str] = set()
    notes: list[str] = []
    for number, operation in enumerate(operations):
        where = f"operations[{number}]: " if len(operations) > 1 else ""
        if operation.action == "add":
            content = _content(operation, where)
            if content in now:
                notes.append(f"{where}it was there already")
            else:
                now.append(content)
            continue
        at = find(now, operation.old_text, show, where)
        touched.add(now[at])
        if operation.action == "replace":
            now[at] = _content(operation, where)
        else:
            del now[at]
    return Outcome(tuple(now), frozenset(touched), tuple(notes))


def find(entries: Sequence[str], old_text: str, show: Show, where: str = "") -> int:
    """Return the place of the one entry that is or holds a text.

    Raises:
        ToolError: no entry holds it, or several different ones do.
    """
    wanted = old_text.strip()
    if not wanted:
        raise InvalidArguments(
            f"{where}old_text is missing", hint="Quote a few words that only this entry has."
        )
    if wanted in entries:
        return entries.index(wanted)
    found = [at for at, entry in enumerate(entries) if wanted in entry]
    if not found:
        raise ToolError(
            f"{where}no entry holds {wanted[:_PREVIEW]!r}",
            code="not_found",
            hint="Quote a part of one of these entries exactly. Nothing was changed.",
            entries=[show(entry) for entry in entries],
        )
    if len({entries[at] for at in found}) > 1:
        raise ToolError(
            f"{where}{len(found)} entries hold {wanted[:_PREVIEW]!r}",
            code="ambiguous",
            hint="Quote more of the one that is meant. Nothing was changed.",
            entries=[show(entries[at]) for at in found],
        )
    return found[0]


def _content(operation: Operation, where: str) -> str:
    content = operation.content.replace("\r\n", "\n").strip()
    if not content:
        raise InvalidArguments(
            f"{where}{operation.action} needs a content",
            hint="To drop an entry use action=remove; to see all of them action=read.",
        )
    if _BORDER.search(content):
        raise InvalidArguments(
            f"{where}the content has a line with § alone, which parts entries",
            hint="Use an operation for each entry.",
        )
    return content
