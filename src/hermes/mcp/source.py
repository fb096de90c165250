"""A server as a source of entries: known from disk, brought up to date when the server speaks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from hermes.base.optional import load
from hermes.mcp.cache import Cache, Known, Stamp, identity_of, stamp_of
from hermes.mcp.entries import Maker, entries, source_of
from hermes.runtime.context import ToolContext
from hermes.runtime.entry import Handler, Lazy, ToolEntry
from hermes.runtime.registry import ToolRegistry

if TYPE_CHECKING:
    from hermes.config.servers import ServerSettings
    from hermes.mcp.definitions import ServerDefinitions


class Places:
    """Where the state of servers is kept below the home."""

    def __init__(self, home: str, builtin_names: Callable[[], frozenset[str]]) -> None:
        self.cache = Cache(f"{home}/cache/mcp")
        self.pins = f"{home}/mcp/pins"
        self.logs = f"{home}/logs/mcp"
        self.advisories = f"{home}/cache/advisories"
        self.builtin_names = builtin_names


class Following:
    """The sources that bring one server into one registry; the last to leave takes it along."""

    def __init__(self) -> None:
        self.users: WeakSet[object] = WeakSet()


class Loader(Lazy[Handler]):
    """Make a handler on first use; through it, sources that share a registry meet."""

    __slots__ = ("following",)

    def __init__(self, following: Following, make: Callable[[], Handler]) -> None:
        super().__init__(make)
        self.following = following


class ServerSource:
    """Bring a server's tools into a registry, from what is known of it without starting it."""

    def __init__(self, server: str, settings: ServerSettings, places: Places) -> None:
        self.server = server
        self.settings = settings
        self.name = source_of(server)
        self._places = places
        self._identity = identity_of(settings)
        self._registry: ToolRegistry | None = None
        self._stamps: tuple[Stamp, Stamp] | None = None
        self._following = Following()
        self.known: Known | None = None
        """What the server offered when it was last seen; None when it never was."""
        self.trouble = ""
        """Why it cannot be reached, when it was tried."""

    @property
    def problems(self) -> list[tuple[str, str]]:
        """What is wrong with the server, and which of its tools are held."""
        found = [(self.name, self.trouble)] if self.trouble else []
        held = self.known.held if self.known is not None else ()
        return [*found, *((f"{self.name}:{name}", reason) for name, reason in held)]

    def refresh(self, registry: ToolRegistry) -> bool:
        """Take over what this or another process has learnt of the server."""
        found = self.news(registry)
        if found is not None:
            registry.replace_source(self.name, found)
        return found is not None

    def news(self, registry: ToolRegistry) -> list[ToolEntry] | None:
        """Return the server's entries if this or another process has learnt of others."""
        self._registry = registry
        stamps = (self._places.cache.stamp(self.server), self._pinned())
        if stamps == self._stamps:
            return None
        known, is_judged = self._places.cache.read(self.server, self._identity, stamps[1])
        if known is not None and not is_judged:
            known = self._judged(known.definitions)
            stamps = (stamps[0], self._pinned())
        self._stamps = stamps
        return self._entries(registry, known)

    def learn(self, definitions: ServerDefinitions) -> Known:
        """Judge what the server offers now, keep it, and offer it; touches the disk."""
        known = self._judged(definitions)
        if known != self.known or self._stamps is None:
            self._places.cache.write(self.server, self._identity, self._pinned(), known)
            self._stamps = (self._places.cache.stamp(self.server), self._pinned())
        if self._registry is not None:
            self._registry.replace_source(self.name, self._entries(self._registry, known))
        self.known = known
        return known

    def close(self) -> None:
        """Withdraw the server's tools, unless another source still brings them."""
        registry = self._registry
        if self.leave() and registry is not None:
            registry.replace_source(self.name, ())

    def leave(self) -> bool:
        """Bring no more; say whether the server's tools are to be withdrawn."""
        self._following.users.discard(self)
        was_bringing, self._registry = self._registry is not None, None
        return was_bringing and not self._following.users

    def _judged(self, definitions: ServerDefinitions) -> Known:
        pins = load("hermes.mcp.pins").Pins(
            load("pathlib").Path(self._places.pins), self._places.builtin_names()
        )
        judged = pins.judge(self.server, definitions)
        held = tuple((each.name, each.reason) for each in judged.held)
        return Known(definitions, judged.admitted, held)

    def _pinned(self) -> Stamp:
        return stamp_of(f"{self._places.pins}/{self.server.lower()}.json")

    def _entries(self, registry: ToolRegistry, known: Known | None) -> list[ToolEntry]:
        self._meet(registry)
        self.known = known
        make = Maker(
            functools.partial(tool_handler, self.server),
            functools.partial(extra_handler, self.server),
            functools.partial(Loader, self._following),
        )
        return entries(self.server, self.settings, known, make) if known is not None else []

    def _meet(self, registry: ToolRegistry) -> None:
        """Share with another runtime's source of the same server what both bring."""
        for entry in registry.entries():
            if entry.source == self.name and isinstance(entry.load, Loader):
                self._following = entry.load.following
                break
        self._following.users.add(self)


def tool_handler(server: str, tool: str) -> Handler:
    """Return what calls a tool of a server, of whichever runtime the call comes from."""

    async def call(args: dict[str, Any], ctx: ToolContext) -> Any:
        return await _servers(ctx).call_tool(server, tool, args, ctx)

    return call


def extra_handler(server: str, name: str) -> Handler:
    """Return what asks a server for resources or prompts."""

    async def ask(args: dict[str, Any], ctx: ToolContext) -> Any:
        return await _servers(ctx).ask_extra(server, name, args, ctx)

    return ask


def _servers(ctx: ToolContext) -> Any:
    return ctx.use(load("hermes.mcp.servers").Servers)
