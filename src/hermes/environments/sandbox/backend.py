"""What a kind of sandbox is, and the kind that there is without any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hermes.environments.sandbox.box import Box
from hermes.environments.sandbox.limits import rlimits
from hermes.environments.sandbox.order import Command, Walls


class Backend(Protocol):
    """One way of keeping a process in its box."""

    @property
    def name(self) -> str:
        """Return what it is called in messages and in the journal."""

    @property
    def confines(self) -> bool:
        """Say whether it holds files and network back at all."""

    @property
    def builds_tree(self) -> bool:
        """Say whether it can protect places inside a writable root, and give a /tmp of its own."""

    def unavailable(self) -> str | None:
        """Say why it cannot be used here, or None."""

    def walls(self, box: Box, stage: str) -> Walls:
        """Return what the kernel is told about a box; ``stage`` is an empty folder to build in."""

    def command(self, box: Box, argv: Sequence[str], *, cwd: str, stage: str) -> Command:
        """Return what is executed behind those walls, and where."""


class Unconfined:
    """No boundary: limits, a clean environment and a sure end are all that is left."""

    name = "none"
    confines = False
    builds_tree = False

    def __init__(self, reason: str = "it was asked for", *, may_gain: bool = False) -> None:
        self.reason = reason
        self._may_gain = may_gain

    @property
    def warning(self) -> str:
        """Return the line that a session without a sandbox begins with."""
        return (
            f"There is no sandbox here: {self.reason}. "
            "Commands run with all of your rights, so more of them will be asked about."
        )

    def unavailable(self) -> str | None:
        """Return None: doing nothing is always possible."""
        return None

    def walls(self, box: Box, stage: str) -> Walls:
        """Return limits and nothing else."""
        del stage
        return Walls(limits=rlimits(box.limits), may_gain=self._may_gain)

    def command(self, box: Box, argv: Sequence[str], *, cwd: str, stage: str) -> Command:
        """Return a program as it is."""
        del box, stage
        return Command(tuple(argv), cwd)
