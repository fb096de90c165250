"""All servers of a runtime: each is started when a call first needs it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from hermes.base.errors import ToolError, Unavailable, UnknownTool
from hermes.mcp import answers
from hermes.mcp.entries import is_wanted
from hermes.mcp.faults import Answered, Lost, Unreachable
from hermes.mcp.source import ServerSource
from hermes.mcp.supervisor import Patience, Supervisor, Tie
from hermes.runtime.bridge import aside, loop_thread, on_own_loop
from hermes.runtime.context import ToolContext
from hermes.runtime.tool_result import ToolResult

if TYPE_CHECKING:
    from hermes.mcp.definitions import ToolDefinition
    from hermes.mcp.links import Link
    from hermes.mcp.sessions import Sessions

T = TypeVar("T")
_CLOSING_SECONDS = 10.0


class Servers:
    """Ask servers in the name of calls; one supervisor each, all on the process's own loop."""

    def __init__(
        self,
        sources: Mapping[str, ServerSource],
        sessions: Sessions,
        patience: Patience = Patience(),  # noqa: B008 - frozen
        *,
        on_close: Callable[[], object] = lambda: None,
    ) -> None:
        self._sources = sources
        self._on_close = on_close
        self._sessions = sessions
        self._patience = patience
        self._supervisors: dict[str, Supervisor] = {}
        self._is_closed = False
        self._closing: asyncio.Task[None] | None = None

    def names(self) -> tuple[str, ...]:
        """Return the servers that are configured and enabled."""
        return tuple(self._sources)

    async def call_tool(
        self, server: str, tool: str, args: dict[str, Any], ctx: ToolContext
    ) -> ToolResult:
        """Call a tool of a server.

        Raises:
            ToolError: it failed, or the server cannot be reached.
        """
        source = self.source(server)
        is_watched = ctx.services.on_progress is not None
        told = functools.partial(_tell_progress, ctx) if is_watched else None

        async def work(link: Link) -> Any:
            definition = self._admitted(source, tool)
            return await link.call_tool(tool, args, told, definition.output_schema)

        known = source.known.definitions.tool(tool) if source.known is not None else None
        is_safe = known is not None and known.is_idempotent
        supervisor = self._supervisor(server)
        try:
            with self._sessions.working(server, ctx):
                said = await _called(supervisor, work, is_safe=is_safe)
        except (Unreachable, Lost, Answered) as error:
            raise answers.failure(server, error, f"the call of {tool}") from None
        return answers.tool_answer(server, said)

    async def ask_extra(
        self, server: str, name: str, args: Mapping[str, Any], ctx: ToolContext
    ) -> ToolResult:
        """List or read what a server has besides its tools."""
        if name == "read_resource":
            uri = str(args["uri"])
            said = await self._read(server, lambda link: link.read_resource(uri), ctx, name)
            return answers.resource_answer(server, said)
        if name == "get_prompt":
            given = {key: str(value) for key, value in (args.get("arguments") or {}).items()}
            prompt = str(args["name"])
            said = await self._read(server, lambda link: link.get_prompt(prompt, given), ctx, name)
            return answers.prompt_answer(server, said)
        await self._read(server, _nothing, ctx, name)  # connected, and so up to date
        known = self.source(server).known
        assert known is not None
        if name == "list_prompts":
            return answers.listing(server, known.definitions.prompts, "prompts")
        both = (*known.definitions.resources, *known.definitions.templates)
        return answers.listing(server, both, "resources")

    async def connect(self, server: str) -> None:
        """Connect to a server, so that its first call need not; what it offers is kept.

        Raises:
            Unreachable: says why it cannot be connected to.
        """
        await on_own_loop(self._supervisor(server).ready())

    def begin(self, server: str) -> Future[None]:
        """Connect to a server in the background; what goes wrong is in its source's problems."""
        connecting = loop_thread().submit(self.connect(server))
        connecting.add_done_callback(lambda done: done.cancelled() or done.exception())
        return connecting

    def close(self) -> None:
        """End all connections and whatever was started for them."""
        self._is_closed = True
        self._on_close()
        if not self._supervisors:
            return
        home = loop_thread()
        if _running() is home.loop:  # who waits here would wait for itself
            self._closing = home.loop.create_task(self._close())
            return
        with contextlib.suppress(TimeoutError):
            home.submit(self._close()).result(timeout=_CLOSING_SECONDS)

    async def _close(self) -> None:
        every = [supervisor.close() for supervisor in self._supervisors.values()]
        await asyncio.gather(*every, return_exceptions=True)  # one must not keep the others

    async def _read(
        self, server: str, work: Callable[[Link], Awaitable[T]], ctx: ToolContext, what: str
    ) -> T:
        supervisor = self._supervisor(server)
        try:
            with self._sessions.working(server, ctx):
                return await on_own_loop(supervisor.ask(work, is_idempotent=True))
        except (Unreachable, Lost, Answered) as error:
            raise answers.failure(server, error, what) from None

    def _supervisor(self, server: str) -> Supervisor:
        found = self._supervisors.get(server)
        if found is None:
            if self._is_closed:
                raise Unreachable("hermes is closing")
            source = self.source(server)
            tie = Tie(
                functools.partial(self._sessions.opened, source),
                functools.partial(self._learn, source),
                functools.partial(_note, source),
                source.settings.connect_timeout,
            )
            found = self._supervisors.setdefault(server, Supervisor(server, tie, self._patience))
        return found

    async def _learn(self, source: ServerSource, definitions: Any) -> None:
        await aside(functools.partial(source.learn, definitions))

    def source(self, server: str) -> ServerSource:
        """Return what is known of a server.

        Raises:
            UnknownTool: there is none of this name.
        """
        source = self._sources.get(server)
        if source is None:
            raise UnknownTool(
                f"there is no MCP server {server!r} in this configuration",
                hint=f"There are {', '.join(self._sources) or 'none'}.",
            )
        return source

    def _admitted(self, source: ServerSource, tool: str) -> ToolDefinition:
        """Return a tool as the server has it now; refuse one that it changed, or lost."""
        known = source.known
        assert known is not None
        if is_wanted(tool, source.settings):
            for each in known.admitted:
                if each.name == tool:
                    return each
        reason = next((reason for name, reason in known.held if name == tool), "")
        raise _refusal(source.server, tool, reason)


async def _called(
    supervisor: Supervisor, work: Callable[[Link], Awaitable[T]], *, is_safe: bool
) -> T:
    """Have a tool called on the caller's own loop where that can be, else on the server's."""
    link = supervisor.direct
    if link is None:
        return await on_own_loop(supervisor.ask(work, is_idempotent=is_safe))
    try:
        return await supervisor.heard(work(link))
    except Lost as lost:
        recovering = supervisor.recover(work, link, lost, is_idempotent=is_safe)
        return await on_own_loop(recovering)


def _refusal(server: str, tool: str, reason: str) -> ToolError:
    if reason:
        return Unavailable(f"{tool} is held back: {reason}")
    return ToolError(
        f"the MCP server {server!r} has no tool {tool!r} any more",
        code="unknown_tool",
        hint="Its tools have changed; use one that is on offer now.",
    )


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _note(source: ServerSource, trouble: str) -> None:
    source.trouble = trouble


async def _nothing(link: Link) -> None:
    del link


def _tell_progress(
    ctx: ToolContext, progress: float, total: float | None, message: str | None
) -> None:
    share = f"{progress:g}/{total:g}" if total else f"{progress:g}"
    ctx.progress(f"{share} {message}" if message else share)
