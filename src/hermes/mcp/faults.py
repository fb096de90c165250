"""What can go wrong between hermes and a server, told apart by who has to act."""

from __future__ import annotations

from typing import Any


class Unreachable(Exception):
    """A server could not be connected to; says why, and what to do about it."""

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        is_lasting: bool = False,
        may_be_old: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.may_be_old = may_be_old
        """Whether it ended when it was asked in the words of the newer era."""
        self.is_lasting = is_lasting
        """Whether trying again by itself is of no use: somebody has to mend something first."""


class Lost(Exception):
    """The connection broke while something was asked; nobody knows whether it was done."""

    def __init__(self, message: str, *, was_refused: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.was_refused = was_refused
        """Whether the server surely did nothing, as with a session that it had forgotten."""


class Answered(Exception):
    """The server answered with an error of the protocol; the connection is as good as before."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
