"""Make a conversation sound: every call is answered once, every answer was asked for; pure.

A process that is killed while a tool runs leaves a call without an answer. A model must never be
sent one, nor an answer to nothing: providers refuse the whole conversation then.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence

from hermes.base.messages import Message, ToolCall

_Places = defaultdict[str, deque[int]]

MAYBE_DONE = (
    '{"error":"this call has no answer, since it was cut off: it may have been done",'
    '"code":"maybe_done",'
    '"hint":"Look at what is there now before you do it again."}'
)


def sound(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return a conversation whose calls are each followed by exactly one answer.

    A late answer moves to its call, a missing one is told as maybe done, and an answer to nothing
    or a second one to the same call is left out.
    """
    said = list(messages)
    answers, askers = _places(said)
    found: list[Message] = []
    for place, message in enumerate(said):
        if message.role == "tool":
            continue
        found.append(message)
        for call in message.calls:
            at = _answer(place, answers[call.id], askers[call.id])
            found.append(maybe_done(call) if at is None else said[at])
    return tuple(found)


def _places(said: Sequence[Message]) -> tuple[_Places, _Places]:
    """Return where calls are answered and where they are asked, by their ids, in order."""
    answers: _Places = defaultdict(deque)
    askers: _Places = defaultdict(deque)
    for place, message in enumerate(said):
        if message.role == "tool":
            answers[message.call_id].append(place)
        else:
            for call in message.calls:
                askers[call.id].append(place)
    return answers, askers


def _answer(place: int, answers: deque[int], askers: deque[int]) -> int | None:
    """Take the answer to a call: the first after it, before another message asks by its id."""
    askers.popleft()
    while answers and answers[0] < place:
        answers.popleft()
    if not answers or (askers and place < askers[0] < answers[0]):
        return None
    return answers.popleft()


def maybe_done(call: ToolCall) -> Message:
    """Return the answer to a call of which nobody knows how it ended."""
    return Message("tool", MAYBE_DONE, call_id=call.id, name=call.name)
