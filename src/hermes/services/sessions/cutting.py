"""Where a conversation can be cut in two: never between a call and its answer; pure."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.base.messages import Message


def begins_at(messages: Sequence[Message], place: int) -> int:
    """Return the place at or before one where a conversation can be cut in two.

    An answer is never cut from its call.
    """
    while 0 < place < len(messages) and messages[place].role == "tool":
        place -= 1
    return place


def last_begin_at(messages: Sequence[Message], count: int) -> int:
    """Return the place where the last messages begin, counted as they are once made sound."""
    place = len(messages)
    for at in reversed(range(len(messages))):
        if count <= 0:
            break
        if messages[at].role != "tool":
            place, count = at, count - 1 - len(messages[at].calls)
    return place
