"""One question to several models, and one answer made of theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

MOST_MODELS = 8


class Opinion(NamedTuple):
    """What one model said, or why it said nothing."""

    model: str
    text: str = ""
    error: str = ""
    tokens: int = 0
    seconds: float = 0.0


class MixtureResult(NamedTuple):
    """The one answer, who made it, and what it was made of."""

    text: str
    aggregator: str
    opinions: tuple[Opinion, ...]
    note: str = ""
    """What went wrong on the way."""


class Caller(Protocol):
    """Whose call wants to know."""

    @property
    def task_id(self) -> str:
        """The task of the agent."""

    def progress(self, text: str) -> None:
        """Tell whoever watches how far it has come."""


class Mixture:
    """Asks several models at once."""

    provided_by = "the agent loop"

    async def ask(
        self,
        caller: Caller,
        prompt: str,
        models: Sequence[str] = (),
        aggregator: str | None = None,
    ) -> MixtureResult:
        """Ask all models at once and have one of them make one answer of theirs.

        Without names, the models of the settings are asked. Some of them may fail.

        Raises:
            ToolError: none of them answered.
        """
        raise NotImplementedError
