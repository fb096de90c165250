"""What the runtime needs of the boundary around programs; it is handed the object that keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import asyncio

    from hermes.runtime.context import ToolContext

Network = Literal["off", "loopback", "proxy", "on"]
NETWORKS: tuple[Network, ...] = ("off", "loopback", "proxy", "on")


class Wants(NamedTuple):
    """What the user wrote that a tool's programs need otherwise than the profile gives."""

    writable: tuple[str, ...] = ()
    """Further paths that may be written; ``~/`` stands for the person's home."""
    network: Network | None = None
    is_off: bool = False
    """Nothing is to hold them back at all."""


class Granted(NamedTuple):
    """What a person granted one program beyond its box."""

    writable: tuple[str, ...] = ()
    network: bool = False


class Launch(NamedTuple):
    """A program about to be started, with all that it is given."""

    argv: Sequence[str]
    cwd: str
    environment: Mapping[str, str]
    """Exactly what it sees; whoever starts it has chosen the names."""


class Program:
    """A program that runs inside the boundary; whoever started it closes it."""

    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader
    digest: str
    """Names the box that it runs in."""

    async def feed(self, data: bytes) -> None:
        """Write its whole input; it may end without reading all of it."""
        raise NotImplementedError

    async def wait(self) -> int:
        """Return its exit code, negative for the signal that ended it.

        Raises:
            OSError: it never ran; the message says why.
        """
        raise NotImplementedError

    async def close(self) -> None:
        """Kill it with all that it started, if it still runs, and let go of it."""
        raise NotImplementedError

    def denied_by(self, errors: str, code: int) -> str | None:
        """Return which rules of its box stopped what it tried, or None."""
        raise NotImplementedError


class Boundary:
    """Start the programs of a task inside the box that the profile in force describes."""

    def lets_out(self) -> bool:
        """Say whether a tool's file may switch the boundary off under the profile in force."""
        raise NotImplementedError

    async def start(
        self,
        launch: Launch,
        ctx: ToolContext,
        *,
        wants: Wants = Wants(),  # noqa: B008 - frozen
        granted: Granted = Granted(),  # noqa: B008 - frozen
    ) -> Program:
        """Start a program.

        Raises:
            OSError: the program or its box cannot be had.
            Denied: no sandbox works here, and the profile wants one.
        """
        raise NotImplementedError
