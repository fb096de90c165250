"""Where a model is asked, and how patiently; opening a model needs no more than this."""

from __future__ import annotations

from typing import NamedTuple

DONE = object()
"""Stands for the word with which a service ends its answer."""


class Endpoint(NamedTuple):
    """Where a model is asked, and with which key."""

    url: str
    """The address beneath which the API lies."""
    key: str = ""

    @property
    def host(self) -> str:
        """Return the machine that is asked, for people."""
        return self.url.partition("://")[2].partition("/")[0].rpartition("@")[2] or self.url

    @property
    def root(self) -> str:
        """Return the address of the machine itself."""
        scheme, _, rest = self.url.partition("://")
        return f"{scheme}://{rest.partition('/')[0]}"

    def __repr__(self) -> str:
        """Show where, never the key."""
        return f"Endpoint({self.url!r})"


class Patience(NamedTuple):
    """How long is waited, and how often a question is put again."""

    silence_seconds: float = 120
    """Longest time without a sign."""
    answer_seconds: float = 1_800
    """Longest time for the whole answer."""
    tries: int = 4
    first_wait_seconds: float = 0.5
    longest_wait_seconds: float = 60


class Measured(NamedTuple):
    """What a service says of its model."""

    window: int = 0
    """Tokens that it takes; 0 when it does not say."""
    has_tools: bool = True
    """False when the model is never shown the tools that it is offered."""
