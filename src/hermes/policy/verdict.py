"""The word that judgement gives: allow, ask or deny, and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Decision = Literal["allow", "ask", "deny"]
_STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


class Verdict(NamedTuple):
    """Say whether a call may run, in words for a person, with the rule that decided."""

    decision: Decision
    reason: str = ""
    rule: str = ""


ALLOWED = Verdict("allow")


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the strictest of several verdicts: deny beats ask beats allow."""
    return max(verdicts, key=lambda verdict: _STRICTNESS[verdict.decision], default=ALLOWED)
