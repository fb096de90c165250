"""Tell when a redirect loses what a file held."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hermes.policy.shell.effects import Effect, danger

_SILENT = frozenset({":", "true", "sudo", "env", "nohup", "timeout", "command", "nice", "time"})
_SAYS_NOTHING = (["cat", "/dev/null"], ["echo", "-n"], ["echo", ""], ["printf", ""])
_WORK = re.compile(
    r"\.(?:py|jsx?|tsx?|go|rs|java|c|cc|cpp|h|rb|php|md|sql|kt|swift|vue|html|db|sqlite3?|csv|xlsx"
    r"|parquet|json|ya?ml|toml|xml)$"
)


def loss(words: Sequence[str], path: str) -> Effect | None:
    """Return what is lost when the output of a command replaces a file."""
    is_nothing = list(words[-2:]) in _SAYS_NOTHING or all(
        word in _SILENT or "=" in word or word.isdecimal() or (at == len(words) and word == "echo")
        for at, word in enumerate(words, 1)
    )
    if (is_nothing and _WORK.search(path)) or (path in words[1:] and words[0] != "echo"):
        return danger("delete", f"empties {path}")
    if "git" in words and words[-1].endswith(f":{path}"):
        return danger("history-rewrite", f"replaces {path} by an older state")
    return None
