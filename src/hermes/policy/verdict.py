"""The word that judgement gives: allow, ask or deny, and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Decision = Literal["allow", "ask", "deny"]
_STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


CATEGORIES = (
    "delete", "overwrite", "disk", "privilege", "service", "process", "network-exec",
    "exfiltration", "publish", "history-rewrite", "database", "infrastructure", "persistence",
    "obfuscation", "opaque",
)  # fmt: skip
"""Every kind of danger; ``danger:`` and one of them is a permission."""

Severity = Literal["ask", "floor"]
"""How bad a finding is: worth a question, or never to be done under any profile."""


class Finding(NamedTuple):
    """One dangerous thing about a call, with the part of the text that does it."""

    category: str
    what: str
    span: tuple[int, int] = (0, 0)
    """Where in the judged text it stands, as Python slices it."""
    severity: Severity = "ask"


class Verdict(NamedTuple):
    """Say whether a call may run, in words for a person, with the rule that decided."""

    decision: Decision
    reason: str = ""
    rule: str = ""
    findings: tuple[Finding, ...] = ()


ALLOWED = Verdict("allow")


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the strictest of several verdicts: deny beats ask beats allow."""
    return max(verdicts, key=lambda verdict: _STRICTNESS[verdict.decision], default=ALLOWED)
