"""The words for what a call does besides answering."""

from __future__ import annotations

from hermes.base.text import did_you_mean

EFFECTS = {
    "none": "nothing but the answer",
    "read": "looks at files or other state",
    "write": "changes files or other state",
    "delete": "removes files or other state",
    "exec": "runs a program",
    "network": "talks to another host",
    "send": "gives data or a message to somebody else",
    "secret": "uses a key or a password",
    "remote": "changes state that is shared with others",
    "proc": "signals or ends processes",
    "priv": "raises rights",
    "persist": "plants something that runs later",
}
"""Every effect a tool may declare, with its meaning."""


def unknown_effect(word: object) -> str | None:
    """Return the fix for a word that is no effect; None when it is one."""
    if isinstance(word, str) and word in EFFECTS:
        return None
    known = f"Known effects: {', '.join(EFFECTS)}."
    near = did_you_mean(word[:60], EFFECTS) if isinstance(word, str) else None
    return f"{near} {known}" if near else known
