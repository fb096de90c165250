"""Who follows a folder of tool files into a registry; the last to leave takes the tools along."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakSet

from hermes.base.client_pool import ClientPool
from hermes.runtime.entry import Handler, Lazy, ToolEntry
from hermes.runtime.registry import ToolRegistry


class Following:
    """The sources that follow one folder into one registry, and the connections they share."""

    def __init__(self, pool: ClientPool | None = None) -> None:
        self.pool = pool or ClientPool()
        self.users: WeakSet[object] = WeakSet()

    def leave(self, user: object) -> bool:
        """Let a user go; say whether it was the last, in which case the connections are closed."""
        self.users.discard(user)
        if self.users:
            return False
        self.pool.close()
        return True


class Loader(Lazy[Handler]):
    """Make a tool's handler on first use; through it, sources that share a registry meet."""

    __slots__ = ("following",)

    def __init__(self, make: Callable[[], Handler], following: Following) -> None:
        super().__init__(make)
        self.following = following


def brought(registry: ToolRegistry, folder: str) -> dict[str, ToolEntry]:
    """Return one entry of every source in the registry that is a file of the folder."""
    prefix = f"{folder}/"
    return {entry.source: entry for entry in registry.entries() if entry.source.startswith(prefix)}


def met(registry: ToolRegistry, folder: str) -> Following | None:
    """Return who follows the folder into the registry already, or None."""
    for entry in brought(registry, folder).values():
        if isinstance(entry.load, Loader):
            return entry.load.following
    return None
