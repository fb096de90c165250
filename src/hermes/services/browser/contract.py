"""Where a browser comes from: the one form of all providers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, Protocol

from hermes.services.browser.options import Options

Post = Callable[
    [str, str, Mapping[str, str], Mapping[str, Any] | None], Awaitable[Mapping[str, Any]]
]
"""Asks a provider's service: method, address, headers, JSON; gives the JSON of its answer."""


class Means(NamedTuple):
    """What a provider works with."""

    playwright: Any
    options: Options
    environment: Mapping[str, str]
    secret: Callable[[str], str]
    ask: Post


class Connected(NamedTuple):
    """A browser that answers, and how it is let go."""

    browser: Any
    close: Callable[[], Awaitable[None]]
    is_local: bool
    """Whether it was started here, so that its connections go through our own proxy."""
    name: str
    live_url: str = ""
    """Where a person can watch it."""
    has_context: bool = False
    """Whether it comes with a context that has to be used."""


class Provider(Protocol):
    """Open a browser; the module of a provider is one."""

    NAME: str
    KEYS: tuple[str, ...]

    async def open(self, means: Means) -> Connected:
        """Return a browser.

        Raises:
            Unavailable: there is none, with what to do about it.
        """
