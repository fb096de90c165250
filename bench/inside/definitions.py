"""Definitions that are already built, and how much of a context they take."""

from __future__ import annotations

import json
from itertools import repeat

from bench.harness import interleave
from hermes.schema.formats import FORMATS
from hermes.tools import get_tool_definitions


def warm(rounds: int, calls: int) -> list:
    """Return seconds per request for all definitions, once they are there."""
    assert get_tool_definitions()

    def work() -> None:
        for _ in repeat(None, calls):
            get_tool_definitions()

    return [taken / calls for taken in interleave(rounds, [work])[0]]


def sizes() -> dict:
    """Return the characters of every tool's definition, by format and tool."""
    names = [one["function"]["name"] for one in get_tool_definitions(["all"])]
    return {
        format_: dict(zip(names, map(_size, _each(format_)), strict=True)) for format_ in FORMATS
    }


def _each(format_: str) -> list:
    return get_tool_definitions(["all"], format=format_)


def _size(definition: object) -> int:
    return len(json.dumps(definition, ensure_ascii=False, separators=(",", ":")))
