"""The values that a judgement of paths takes and gives."""

from __future__ import annotations

from typing import Literal, NamedTuple

from hermes.policy.paths.groups import Category

Verb = Literal["read", "write", "delete"]

UNKNOWN = "\ufffc"
"""Stands in a path for a part that nobody can know before the command runs."""


class Places(NamedTuple):
    """Where things are on this machine, as whoever asks has found out."""

    workspace: tuple[str, ...]
    """Absolute roots that may be written."""
    home: str
    state: str
    """The home of hermes itself."""
    scratch: tuple[str, ...] = ("/tmp", "/var/tmp", "/dev/shm")


class Concern(NamedTuple):
    """Why somebody should be asked before a path is touched, or why it must not be."""

    decision: Literal["ask", "deny"]
    category: Category
    what: str
    """A sentence for a person: present tense, no full stop."""
