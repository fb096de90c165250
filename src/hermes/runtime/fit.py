"""Cut a JSON value inside its content until its text fits."""

from __future__ import annotations

from hermes.base import json
from hermes.base.messages import Json
from hermes.base.text import head_and_tail

_NOTE = 60
"""Characters that a note of what is missing takes."""
_LEAST = 24
"""Characters below which a piece of a value says nothing any more."""


def fit(value: Json, budget: int) -> Json:
    """Return a value whose JSON has about ``budget`` characters, cut where it is longest."""
    size = len(json.encode(value))
    if size <= budget:
        return value
    if isinstance(value, str):
        # escapes make the JSON of a text longer than the text, so cut in proportion
        return head_and_tail(value, max(len(value) * max(budget - _NOTE, _LEAST) // size, _LEAST))
    if isinstance(value, list):
        return _fit_list(value, budget)
    if isinstance(value, dict):
        return _fit_fields(value, budget)
    return value


def _fit_list(items: list[Json], budget: int) -> list[Json]:
    sizes = [len(json.encode(item)) + 1 for item in items]
    head, tail = _ends(sizes, budget - _NOTE)
    if not head and not tail and items:
        return [fit(items[0], max(budget - _NOTE, _LEAST)), *_omitted(len(items) - 1, "item")]
    return [*items[:head], *_omitted(len(items) - head - tail, "item"), *items[len(items) - tail :]]


def _fit_fields(fields: dict[str, Json], budget: int) -> dict[str, Json]:
    """Small fields stay whole and the large ones share what is left; of too many, the ends stay."""
    sizes = {key: len(json.encode({key: item})) for key, item in fields.items()}
    least = [min(size, len(key) + _LEAST) for key, size in sizes.items()]
    names = list(fields)
    missing: list[str] = []
    if sum(least) > budget:
        head, tail = _ends(least, budget - _NOTE)
        missing = names[head : len(names) - tail]
        names = [*names[:head], *names[len(names) - tail :]]
    fitted: dict[str, Json] = {}
    left, waiting = budget - (_NOTE if missing else 0), len(names)
    for name in sorted(names, key=lambda name: sizes[name]):
        share = left // waiting
        fitted[name] = fields[name] if sizes[name] <= share else fit(fields[name], share)
        left, waiting = left - min(sizes[name], share), waiting - 1
    kept = {name: fitted[name] for name in names}
    return {**kept, "…": f"{len(missing):,} fields left out"} if missing else kept


def _ends(sizes: list[int], budget: int) -> tuple[int, int]:
    """Return how many pieces fit at the head, two fifths of them, and how many at the tail."""
    head = tail = 0
    while head + tail < len(sizes):
        at_head = head * 3 <= tail * 2
        size = sizes[head] if at_head else sizes[-1 - tail]
        if size > budget:
            break
        budget -= size
        head, tail = (head + 1, tail) if at_head else (head, tail + 1)
    return head, tail


def _omitted(count: int, what: str) -> list[Json]:
    return [f"… {count:,} {what}s left out …"] if count > 0 else []
