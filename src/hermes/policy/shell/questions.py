"""Say whether a client of a database in a file is given nothing but questions."""

from __future__ import annotations

import re
from collections.abc import Sequence

CLIENTS = frozenset({"sqlite3", "sqlite", "litecli", "duckdb"})
_ASKS = re.compile(
    r"\s*(?:select|with|explain|pragma|\.(?:tables|schema|dump|ind\w+|mode|headers?|width))\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:insert|update|delete|drop|alter|create|replace|attach|vacuum|reindex|writefile|edit"
    r"|load_extension|pragma[^;]*=)\b|(?:^|\s)\.(?!tables|schema|dump|ind|mode|header|width)[a-z]",
    re.IGNORECASE,
)


def only_asks(words: Sequence[str], file: str) -> bool:
    """Say whether a command opens a file to read alone, or asks and does nothing else."""
    if {"-readonly", "--readonly"} & set(words):
        return True
    codes = [word for word in words[1:] if word[:1] != "-" and word != file]
    return bool(codes) and all(_ASKS.match(code) and not _CHANGES.search(code) for code in codes)
