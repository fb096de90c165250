"""Say how protected paths are written down: patterns in groups, each with words for a person.

A pattern's parts are matched one by one, without regard to case, and cover everything below.
``~/`` anchors it at a home, ``/`` at the root, anything else matches at any depth. A part may hold
``*`` and ``?``. A final ``$`` means the path ends there; nothing below is meant.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Category = Literal[
    "delete",
    "overwrite",
    "disk",
    "privilege",
    "exfiltration",
    "history-rewrite",
    "persistence",
    "obfuscation",
    "opaque",
]


class Group(NamedTuple):
    """Some protected paths, the danger of touching them, and what they are."""

    category: Category
    noun: str
    patterns: tuple[str, ...]
