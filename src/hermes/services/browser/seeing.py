"""Who looks at pictures; a runtime with a model provides it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

Look = Callable[[str, bytes], Awaitable[str]]
"""Answers a question about a PNG."""


class Eyes:
    """Answer questions about pictures."""

    def __init__(self, look: Look) -> None:
        self.look = look
