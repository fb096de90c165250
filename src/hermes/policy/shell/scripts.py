"""Tell a text that has a shell or an interpreter run a file."""

from __future__ import annotations

import re

_SCRIPT = re.compile(
    r"\s*(?:exec\s+)?(?:/[\w./]*/)?(?:env\s+)?"
    r"(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby|node|php|source|\.)\s+(?!-)[\w./~$-]+"
)


def runs_a_script(text: str) -> bool:
    """Say whether a text runs a script by its path: ``sh x.sh``."""
    return _SCRIPT.match(text) is not None
