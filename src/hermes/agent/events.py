"""What an agent tells whoever watches it, in the order it happens."""

from __future__ import annotations

from typing import Literal, NamedTuple

from hermes.base.messages import Json
from hermes.llm.contract import Usage

Ending = Literal["answered", "interrupted", "budget", "stuck", "failed"]
"""Why a turn ended: there is an answer, the person stopped it, no tokens or rounds are left, it
went in circles, or the model could not be asked."""


class Said(NamedTuple):
    """A piece of what the model says."""

    text: str


class Thought(NamedTuple):
    """A piece of what the model thinks."""

    text: str


class Taken(NamedTuple):
    """What was said since the last round is void: the model is asked again."""

    why: str
    wait_seconds: float


class CallStarted(NamedTuple):
    """A tool is called; its arguments are as the model gave them."""

    id: str
    name: str
    args: Json


class CallProgress(NamedTuple):
    """How far a call has come."""

    id: str
    name: str
    text: str


class CallDone(NamedTuple):
    """A call was answered."""

    id: str
    name: str
    args: Json
    result: str
    """The answer as the model reads it: JSON text."""
    is_error: bool
    seconds: float


class Asked(NamedTuple):
    """A person is asked whether a call may run; ``answer`` is None until they say."""

    id: str
    name: str
    reason: str
    answer: str | None = None


class Noted(NamedTuple):
    """The loop itself did something that a person should know: it nudged, compacted, gave up."""

    text: str


class ChildSaid(NamedTuple):
    """An event of a child that works on a part of the task."""

    child: str
    goal: str
    event: Event


class Spent(NamedTuple):
    """What a round cost, and what is in use by now."""

    round: Usage
    total: Usage
    context: int
    """Tokens of the conversation as it would be sent next."""
    window: int
    """Tokens that the model can take; 0 when nobody knows."""


class Done(NamedTuple):
    """The turn is over; always the last event."""

    text: str
    """The whole answer."""
    ending: Ending
    error: str = ""
    rounds: int = 0


Event = (
    Said
    | Thought
    | Taken
    | CallStarted
    | CallProgress
    | CallDone
    | Asked
    | Noted
    | ChildSaid
    | Spent
    | Done
)

_TYPES: dict[type, str] = {
    Said: "text",
    Thought: "reasoning",
    Taken: "retry",
    CallStarted: "tool_start",
    CallProgress: "tool_progress",
    CallDone: "tool_result",
    Asked: "approval",
    Noted: "notice",
    ChildSaid: "child",
    Spent: "usage",
    Done: "done",
}


def as_json(event: Event) -> dict[str, Json]:
    """Return an event as a JSON object; its ``type`` comes first."""
    found: dict[str, Json] = {"type": _TYPES[type(event)]}
    for name, value in event._asdict().items():
        if isinstance(event, ChildSaid) and name == "event":
            found[name] = as_json(event.event)
        elif isinstance(value, Usage):
            found[name] = value._asdict()
        else:
            found[name] = value
    return found
