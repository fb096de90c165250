"""Pick a part of a JSON value by a short path: ``data.items[0].name``, ``items[*].id``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hermes.base.errors import ToolError
from hermes.base.messages import Json

Step = str | int | None
"""A key, a position, or None for every item."""

_STEP = re.compile(
    r"""\.?(?P<key>[^.\[\]'"\s]+)"""
    r"""|\[(?P<index>-?[0-9]{1,9})\]"""
    r"""|\[(?P<every>\*)\]"""
    r"""|\[(?P<quote>['"])(?P<quoted>[^'"]*)(?P=quote)\]"""
)


def parse_path(text: str) -> tuple[Step, ...]:
    """Return the steps of a path; a leading ``$`` is allowed.

    Raises:
        ValueError: the text is not such a path; the message says where.
    """
    rest = text.removeprefix("$")
    steps: list[Step] = []
    position = 0
    while position < len(rest):
        match = _STEP.match(rest, position)
        if match is None or (match["key"] and position and not match[0].startswith(".")):
            raise ValueError(f"cannot read {rest[position:][:40]!r}")
        steps.append(_step(match))
        position = match.end()
    return tuple(steps)


def _step(match: re.Match[str]) -> Step:
    if match["index"]:
        return int(match["index"])
    if match["every"]:
        return None
    return match["key"] or match["quoted"] or ""


def pick(value: Json, steps: Sequence[Step]) -> Json:
    """Return the part of a value that a path leads to; ``[*]`` gives a list.

    Raises:
        ToolError: the path leads nowhere; the message says where it ended and what is there.
    """
    for position, step in enumerate(steps):
        if step is None:
            if not isinstance(value, list):
                raise _lost(value, steps, position)
            return [pick(item, steps[position + 1 :]) for item in value]
        try:
            value = value[step] if _fits(value, step) else _fail()
        except LookupError:
            raise _lost(value, steps, position) from None
    return value


def _fits(value: Json, step: str | int) -> bool:
    return isinstance(value, dict) if isinstance(step, str) else isinstance(value, list)


def _fail() -> Json:
    raise LookupError


def _lost(value: Json, steps: Sequence[Step], position: int) -> ToolError:
    done = _spelt(steps[:position]) or "the top"
    wanted = _spelt(steps[position : position + 1])
    return ToolError(
        f"the answer has no {wanted!r} at {done}: there is {_kind(value)}",
        code="response_path",
        hint="The service may have answered an error or changed its format.",
    )


def _spelt(steps: Sequence[Step]) -> str:
    words = (
        f".{step}" if isinstance(step, str) else f"[{'*' if step is None else step}]"
        for step in steps
    )
    return "".join(words).removeprefix(".")


def _kind(value: Json) -> str:
    if isinstance(value, dict):
        return f"an object with the keys {', '.join(list(value)[:10])[:200] or '(none)'}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "null" if value is None else f"a {type(value).__name__}"
