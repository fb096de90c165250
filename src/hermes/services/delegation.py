"""Parts of a task that others work on: what they are given, and what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

MOST_TASKS = 256

Fate = Literal["done", "interrupted", "budget", "stuck", "failed", "timeout"]
"""How a child's work ended: it reported, somebody stopped it, no rounds or tokens were left, it
went in circles, it broke, or its time was up."""


class ChildTask(NamedTuple):
    """A part of a task, with all that a child needs to know: it knows nothing else."""

    goal: str
    context: str = ""
    toolsets: tuple[str, ...] | None = None
    """None gives it what its parent has."""
    max_rounds: int | None = None


class ChildResult(NamedTuple):
    """What came of a part."""

    child: str
    goal: str
    fate: Fate
    summary: str = ""
    error: str = ""
    rounds: int = 0
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


class Caller(Protocol):
    """Whose call wants parts worked on."""

    @property
    def task_id(self) -> str:
        """The task of the parent."""

    def progress(self, text: str) -> None:
        """Tell whoever watches how far it has come."""


class Delegation:
    """Has children work on parts of a task."""

    provided_by = "the agent loop"

    async def run(self, caller: Caller, tasks: Sequence[ChildTask]) -> list[ChildResult]:
        """Have all parts worked on, some at once, and return what came of each, in order.

        Cancelling it stops all children.

        Raises:
            ToolError: the parts cannot be given to children at all; none has begun.
        """
        raise NotImplementedError
