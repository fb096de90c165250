"""Join MCP servers to a runtime: sources of tools now, connections when a call needs one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hermes.base.optional import load
from hermes.mcp.source import Places, ServerSource

if TYPE_CHECKING:
    from concurrent.futures import Future

    from hermes.app.boundaries import Boxes
    from hermes.app.runtime import Runtime
    from hermes.base.errors import ToolError
    from hermes.mcp.connecting import Around
    from hermes.mcp.people import People
    from hermes.mcp.servers import Servers
    from hermes.mcp.sessions import Sessions
    from hermes.runtime.entry import ToolEntry
    from hermes.runtime.registry import ToolRegistry

SERVICE = "hermes.mcp.servers:Servers"
_MEETING_SECONDS = 10.0
"""How long a new agent waits for servers that are new, too."""


class Joined:
    """The servers that are configured and enabled, as one source of a runtime's tools.

    What is known of them is read from disk; only those that are eager are started, in the
    background. A server that was never
    seen is connected to when a model is first offered tools, or when a tool of it is called.
    """

    name = "mcp"

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        names = frozenset(runtime.registry.names())
        places = Places(runtime.settings.folder, lambda: names)
        self.sources = {
            name: ServerSource(name, settings, places)
            for name, settings in runtime.settings.mcp_servers.items()
            if settings.enabled
        }
        self._made: Servers | None = None
        runtime.services.provide_named(SERVICE, functools.partial(self._make, places))
        self._is_joined = False
        self._has_begun = False
        self._meeting: list[Future[None]] = []

    @property
    def problems(self) -> list[tuple[str, str]]:
        """What is wrong with servers, and which of their tools are held."""
        return [problem for source in self.sources.values() for problem in source.problems]

    def refresh(self, registry: ToolRegistry) -> bool:
        """Take over what is newly known of servers; say whether anything is."""
        news = {source.name: source.news(registry) for source in self.sources.values()}
        brought = {name: entries for name, entries in news.items() if entries is not None}
        if brought:
            registry.replace_sources(brought)
        if not self._is_joined:
            self._is_joined = True
            self._connect([name for name, one in self.sources.items() if one.settings.eager])
        return bool(brought)

    def begin_unseen(self) -> None:
        """Connect in the background to the servers of which nothing is known, once."""
        if not self._has_begun:
            self._has_begun = True
            unseen = [name for name, one in self.sources.items() if one.known is None]
            self._meeting = self._connect(unseen)

    def wait_for_unseen(self) -> None:
        """Give servers that were never seen a while to tell what they offer.

        Only synchronous code waits: no loop is held up.
        """
        self.begin_unseen()
        asyncio: Any = load("asyncio")
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            load("concurrent.futures").wait(self._meeting, timeout=_MEETING_SECONDS)

    def unseen(self, tool: str) -> str | None:
        """Return the server of a tool if nothing is known of that server yet."""
        for name, source in self.sources.items():
            if source.known is None and tool.startswith((f"mcp-{name}:", f"mcp__{name}__")):
                return name
        return None

    async def meet(self, server: str) -> ToolError | None:
        """Connect to a server to learn what it offers; return what a call is told if it cannot."""
        try:
            await of(self._runtime).connect(server)
        except load("hermes.mcp.faults").Unreachable as error:
            trouble: ToolError = load("hermes.mcp.answers").failure(server, error, "connecting")
            return trouble
        self._runtime.refresh()
        return None

    def met(self, server: str) -> ToolError | None:
        """Meet a server from synchronous code."""
        meeting: Future[ToolError | None] = (
            load("hermes.runtime.bridge").loop_thread().submit(self.meet(server))
        )
        return meeting.result()

    def close(self) -> None:
        """End all connections, while there still is what their processes were started by."""
        if self._made is not None:
            self._made.close()
        left: dict[str, Sequence[ToolEntry]] = {
            source.name: () for source in self.sources.values() if source.leave()
        }
        if left:
            self._runtime.registry.replace_sources(left)

    def _make(self, places: Places) -> Servers:
        self._made = _servers(self._runtime, self.sources, places)
        return self._made

    def _connect(self, names: Sequence[str]) -> list[Future[None]]:
        return [of(self._runtime).begin(name) for name in names]


def of(runtime: Runtime) -> Servers:
    """Return the servers of a runtime, to be asked."""
    kind: type[Servers] = load("hermes.mcp.servers").Servers
    return runtime.services.get(kind)


def _servers(runtime: Runtime, sources: dict[str, ServerSource], places: Places) -> Servers:
    answering = load("hermes.app.server_people").Answering
    known: dict[str, Any] = {}

    def people(name: str) -> People:
        if name not in known:
            known[name] = answering(runtime, sessions, name)
        found: People = known[name].people()
        return found

    def close() -> None:
        for each in known.values():
            each.close()

    sessions: Sessions = load("hermes.mcp.sessions").Sessions(
        functools.partial(_around, runtime), people, runtime.environment, places
    )
    made: Servers = load("hermes.mcp.servers").Servers(sources, sessions, on_close=close)
    return made


def _around(runtime: Runtime) -> Around:
    variables = load("hermes.services.variables").Variables(
        runtime.environment, allowed=runtime.settings.environment.pass_names
    )
    reach = functools.partial(load("hermes.app.reaching").reach, runtime.settings.urls)
    made: Around = load("hermes.mcp.connecting").Around(
        load("hermes.app.server_processes").Launching(
            functools.partial(_boxes, runtime), runtime.cwd
        ),
        lambda: variables.safe("mcp"),
        reach,
        functools.partial(_signed_in, runtime),
        functools.partial(_web, reach),
    )
    return made


def _boxes(runtime: Runtime) -> Boxes:
    runtime.gate  # noqa: B018 - the boundary is there once calls can be judged
    found: Boxes = runtime.services.get(load("hermes.runtime.boundary").Boundary)
    return found


def _signed_in(runtime: Runtime, name: str, settings: Any) -> Any:
    folder = runtime.settings.home / "mcp" / "tokens"
    return load("hermes.mcp.oauth").provider(name, settings, folder, None)


def _web(reach: Callable[[], Any]) -> Any:
    client = load("httpx2").AsyncClient(timeout=12.0)
    return load("hermes.mcp.guarded").guarded_client(
        client, "https://api.osv.dev", reach(), 8_000_000
    )
