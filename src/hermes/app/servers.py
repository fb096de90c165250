"""Join MCP servers to a runtime: sources of tools now, connections when a call needs one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hermes.base.errors import Denied
from hermes.base.optional import load
from hermes.mcp.source import Places, ServerSource

if TYPE_CHECKING:
    from hermes.app.boundaries import Boxes
    from hermes.app.runtime import Runtime
    from hermes.environments.sandbox.box import Box
    from hermes.environments.sandbox.proxy import Proxy
    from hermes.mcp.connecting import Around
    from hermes.mcp.people import People
    from hermes.mcp.process import Started
    from hermes.mcp.servers import Servers
    from hermes.mcp.sessions import Sessions

SERVICE = "hermes.mcp.servers:Servers"


def join(runtime: Runtime) -> list[ServerSource]:
    """Return the sources of all servers that are configured and enabled.

    What is known of them is read from disk; nothing is started but what wants to be at once.
    """
    names = frozenset(runtime.registry.names())
    places = Places(runtime.settings.folder, lambda: names)
    sources = {
        name: ServerSource(name, settings, places)
        for name, settings in runtime.settings.mcp_servers.items()
        if settings.enabled
    }
    runtime.services.provide_named(SERVICE, functools.partial(_servers, runtime, sources, places))
    return list(sources.values())


def begin(runtime: Runtime, sources: Sequence[ServerSource], *, unseen: bool = False) -> None:
    """Connect in the background to servers that want it, and to those never seen before."""
    wanted = [
        source.server
        for source in sources
        if source.settings.eager or (unseen and source.known is None)
    ]
    if wanted:
        servers = of(runtime)
        for server in wanted:
            servers.begin(server)


def of(runtime: Runtime) -> Servers:
    """Return the servers of a runtime, to be asked."""
    kind: type[Servers] = load("hermes.mcp.servers").Servers
    return runtime.services.get(kind)


def _servers(runtime: Runtime, sources: dict[str, ServerSource], places: Places) -> Servers:
    mcp = load("hermes.mcp.sessions")
    sessions: Sessions = mcp.Sessions(
        functools.partial(_around, runtime),
        lambda name: _people(runtime, sessions, name),
        runtime.environment,
        places,
    )
    made: Servers = load("hermes.mcp.servers").Servers(sources, sessions)
    return made


def _around(runtime: Runtime) -> Around:
    variables = load("hermes.services.variables").Variables(
        runtime.environment, allowed=runtime.settings.environment.pass_names
    )
    reach = functools.partial(load("hermes.app.reaching").reach, runtime.settings.urls)
    made: Around = load("hermes.mcp.connecting").Around(
        Launching(functools.partial(_boxes, runtime), runtime.cwd),
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


def _people(runtime: Runtime, sessions: Sessions, name: str) -> People:
    """Return who answers for a server: whoever answers for the calls that it works for."""
    log = load("logging").getLogger(f"hermes.mcp.{name}")

    def folders() -> list[str]:
        found = [ctx.workspace for ctx in sessions.calls(name)]
        return list(dict.fromkeys(found)) or [runtime.cwd]

    def on_log(server: str, level: str, text: str) -> None:
        number = {"debug": 10, "info": 20, "notice": 20, "warning": 30}.get(level, 40)
        log.log(number, "%s", text)
        if number >= 20:
            for ctx in sessions.calls(server)[-1:]:
                ctx.progress(f"[{server} {level}] {text}")

    def on_progress(server: str, text: str) -> None:
        for ctx in sessions.calls(server)[-1:]:
            ctx.progress(text)

    made: People = load("hermes.mcp.people").People(
        approver=runtime.gate.approvals.ask,
        model_of=None,
        workspace_of=folders,
        on_log=on_log,
        on_progress=on_progress,
    )
    return made


class Launching:
    """Start the processes of servers, inside the sandbox when the profile says so."""

    def __init__(self, boxes: Callable[[], Boxes], workspace: str) -> None:
        self._boxes = boxes
        self._workspace = workspace

    async def start(
        self, argv: Sequence[str], *, cwd: str | None, env: dict[str, str], confined: bool | None
    ) -> Started:
        """Start a process; it ends with hermes, however that ends.

        Raises:
            OSError: it or its box cannot be had.
            Denied: it has to be confined, and nothing here can do that.
        """
        aside = load("hermes.runtime.bridge").aside
        boxes = await aside(self._boxes)
        where = cwd or self._workspace
        sandbox, box = await aside(functools.partial(self._place, boxes, where, confined))
        proxy: Proxy | None = None
        if box.confined:
            box, proxy = await boxes.proxied(box)
        streams = load("hermes.environments.sandbox.pipes")
        theirs, mine = streams.pipes()
        try:
            spawn = functools.partial(sandbox.spawn, argv, box, env=env, cwd=where, standard=theirs)
            child = await aside(spawn)
        except BaseException:
            streams.close(mine)
            if proxy is not None:
                await proxy.close()
            raise
        finally:
            streams.close(theirs)
        if proxy is not None and boxes.backend.builds_tree:
            try:
                await proxy.serve(await child.listening())
            except BaseException:
                child.close()
                streams.close(mine)
                raise
        started = load("hermes.mcp.process").Started
        made: Started = started(child, *mine, proxy.close if proxy is not None else None)
        return made

    def _place(self, boxes: Boxes, where: str, confined: bool | None) -> tuple[Any, Box]:
        """Return what starts a server, and the box for it."""
        box = boxes.box(where)
        if confined or (confined is None and not boxes.lets_out()) or not boxes.lets_out():
            if not boxes.backend.confines:
                boxes.warning()
                if confined:
                    fix = "Install one, such as bubblewrap, or say sandbox: false for this server."
                    raise Denied("it is to run in a sandbox, and none works here", hint=fix)
            return boxes.sandbox(), box
        limits = load("hermes.environments.sandbox.box").Limits
        free = limits(memory_bytes=None, processes=None, open_files=None)
        return boxes.outside(), replace(box, confined=False, network="on", limits=free)
