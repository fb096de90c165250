"""What the loop itself says to a model, in the user's place and marked as such."""

from __future__ import annotations

from hermes.agent.facts import MARK
from hermes.base import json
from hermes.base.messages import Message

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
NO_MORE_CALLS = json.encode(
    {
        "error": "no tool can be called any more in this turn",
        "code": "no_rounds_left",
        "hint": "Answer with what you have.",
    }
)


def note(text: str) -> Message:
    """Return a message of the loop to the model."""
    return Message("user", f"[Note from the program, not from the user] {text}", extra=_OURS)


_OURS = {MARK: {"note": True}}


def wants_end(answers: list[str]) -> bool:
    """Say whether a person answered one of the calls with: stop here."""
    for answer in answers:
        if '"stop":true' in answer:
            told = json.decode(answer)
            if told.get("code") == "denied" and told.get("stop") is True:
                return True
    return False
