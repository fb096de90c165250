"""Commands that a profile must allow, ask about or deny, checked when it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hermes.policy.deeds import Asked, deed_of, place
from hermes.policy.permissions import Profile

_PLACE = place("/workspace", ("/workspace",), "/home/user", "/home/user/.hermes")
_SAID = {"allow": "allowed", "ask": "asked about", "deny": "denied"}


class Surprise(NamedTuple):
    """An example that a profile judges otherwise than it says."""

    decision: str
    at: int
    message: str


def surprise(profile: Profile, examples: Mapping[str, tuple[str, ...]]) -> Surprise | None:
    """Return the first command that does not get the verdict it is listed under.

    Commands are judged in the workspace ``/workspace`` of a person whose home is ``/home/user``.
    """
    for wanted, commands in examples.items():
        for at, command in enumerate(commands):
            call = Asked(("terminal",), ("terminal:execute",), {"command": command}, None, _PLACE)
            verdict = profile.judge_deed(deed_of(call))
            if verdict.decision != wanted:
                why = f": {verdict.reason}" if verdict.reason else ""
                message = f"{command[:80]!r} is {_SAID[verdict.decision]}{why}"
                return Surprise(wanted, at, message)
    return None
