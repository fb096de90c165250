"""What a person is asked that must never be shown: a password, and how long it may be kept."""

from __future__ import annotations

from typing import NamedTuple


class SecretRequest(NamedTuple):
    """A question for a secret: who wants it, what for, and how often it was wrong."""

    what: str
    """What is asked for, such as ``the password for sudo``."""
    command: str
    """What it will be used for."""
    task_id: str
    was_wrong: bool = False
    """The last answer was not taken."""
    seconds: float = 0.0
    """How long the question waits for an answer."""


class Secret:
    """A person's answer; it is not shown when it is printed."""

    __slots__ = ("lasts", "value")

    def __init__(self, value: str, *, lasts: bool = False) -> None:
        self.value = value
        self.lasts = lasts
        """Whether it may be kept for the rest of the task."""

    def __repr__(self) -> str:
        return "Secret(…)"
