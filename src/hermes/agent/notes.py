"""What the loop itself says to a model, in the user's place and marked as such."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.agent.guards import Seen
from hermes.base import json
from hermes.base.messages import OURS, Message

LAST_ROUND = (
    "This is the last round: no tool can be called any more. Answer now with what you have, and "
    "say plainly what is not done."
)
CIRCLES = (
    "You are going in circles, so no tool can be called any more in this turn. Tell the user what "
    "you found, what is missing, and what they could do."
)
NOTHING_SAID = "Your last answer was empty. Answer the user, or call a tool."
STOPPED = "[stopped by the user]"
CUT_OFF = "[the turn ended here without an answer]"


_NOTE = {OURS: {"note": True}}


def note(text: str) -> Message:
    """Return a message of the loop to the model."""
    return Message("user", f"[Note from the program, not from the user] {text}", extra=_NOTE)


def noted(answer: Message, text: str) -> Message | None:
    """Return the answer of a tool with a note in it; None where it has no place for one.

    Some services refuse anything but an answer of the model behind the answer of a tool.
    """
    try:
        value = json.decode(answer.text)
    except json.NotJson:
        return None
    if answer.role != "tool" or not isinstance(value, dict):
        return None
    return answer._replace(text=json.encode({**value, "note_from_the_program": text}))


def wants_end(seen: Sequence[Seen]) -> bool:
    """Say whether a person refused one of the calls with the word to stop."""
    return any(one.code == "denied" and json.decode(one.answer).get("stop") is True for one in seen)
