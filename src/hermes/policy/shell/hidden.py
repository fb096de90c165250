"""Characters that hide what a command says: a person would approve something else."""

from __future__ import annotations

import re

from hermes.policy.verdict import Finding

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_ALLOWED = frozenset("\r\x1b")
_EMOJI = frozenset("\u200d\ufe0f")


def hidden(command: str) -> list[Finding]:
    """Return a finding for the first character that a reader cannot see."""
    for match in _HIDDEN.finditer(command):
        if match[0] in _ALLOWED or match[0] in _EMOJI:
            continue
        what = f"holds a character that cannot be seen (U+{ord(match[0]):04X})"
        return [Finding("obfuscation", what, match.span())]
    return []
