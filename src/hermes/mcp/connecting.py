"""Connect to servers: a process on its streams, Streamable HTTP, or the older SSE."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx2
import mcp_types as types
from mcp import Client, MCPError
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

import hermes
from hermes.base.errors import HermesError
from hermes.base.json import encode
from hermes.base.optional import load
from hermes.config.servers import ServerSettings
from hermes.mcp.faults import Unreachable
from hermes.mcp.guarded import guarded_client
from hermes.mcp.links import LOG_LEVEL, Link, Seen, seen
from hermes.mcp.people import People
from hermes.mcp.process import LARGEST_MESSAGE, Launcher, ProcessTransport
from hermes.mcp.server_log import ServerLog
from hermes.mcp.shortcut import Shortcut
from hermes.runtime.reach import Reach

_READ_MARGIN_SECONDS = 5.0
_LONGEST_LOG = 2_000
_CHANGES = (
    types.ToolListChangedNotification,
    types.ResourceListChangedNotification,
    types.PromptListChangedNotification,
)


class Around(NamedTuple):
    """What connecting to any server needs."""

    launcher: Launcher
    environment: Callable[[], dict[str, str]]
    """Gives what the process of a server may see, without what is declared for it."""
    reach: Callable[[], Reach]
    auth: Callable[[str, ServerSettings], Any]
    """Gives how one signs in to a server, as httpx2 takes it."""
    web: Callable[[], httpx2.AsyncClient]
    """Makes a client for services that are asked about servers."""


class Server(NamedTuple):
    """One server to connect to, with its settings filled in."""

    name: str
    settings: ServerSettings
    people: People
    log: ServerLog


class News(NamedTuple):
    """Who is told what happens to a connection."""

    on_change: Callable[[], object]
    on_lost: Callable[[], object]


@asynccontextmanager
async def opened(server: Server, around: Around, news: News, *, mode: str) -> AsyncIterator[Link]:
    """Connect to a server for as long as the context lasts; stay in one task.

    Raises:
        Unreachable: it cannot be connected to; says why and what to do.
    """
    noted = Seen()
    token = seen.set(noted)
    transport = _transport(server, around, news)
    asking = load("hermes.mcp.asking").Asking(server.name, server.settings, server.people)
    is_open = False
    try:
        async with (
            transport.streams as streams,
            _client(server, streams, asking, news, mode) as client,
        ):
            seen.reset(token)
            is_open = True
            link = Link(client, lambda: transport.reason, transport.shortcut)
            link.elicit = asking.elicit
            await link.listen_to_logs()
            yield link
    except (Exception, BaseExceptionGroup) as error:
        if is_open:
            raise
        raise _unreachable(server, error, noted.status, transport.reason) from error


class _Way:
    """A way to a server, and why it ended."""

    def __init__(self, streams: Any, process: ProcessTransport | None = None) -> None:
        self.streams = streams
        self._process = process

    @property
    def reason(self) -> str:
        return self._process.reason if self._process is not None else ""

    @property
    def shortcut(self) -> Shortcut | None:
        return self._process.shortcut if self._process is not None else None


def _transport(server: Server, around: Around, news: News) -> _Way:
    settings = server.settings
    if settings.command is not None:
        process = ProcessTransport(
            lambda: _start(server, around),
            server.log,
            on_lost=news.on_lost,
            on_change=news.on_change,
            on_log=lambda told: _tell_log(server, told.get("level"), told.get("data")),
        )
        return _Way(_same(process), process)
    return _Way(_over_http(server, around))


@asynccontextmanager
async def _same(transport: Any) -> AsyncIterator[Any]:
    """Hand a transport on as it is: the SDK enters it itself."""
    yield transport


@asynccontextmanager
async def _over_http(server: Server, around: Around) -> AsyncIterator[Any]:
    settings = server.settings
    assert settings.url is not None
    timeout = httpx2.Timeout(
        min(settings.connect_timeout, 30.0), read=settings.timeout + _READ_MARGIN_SECONDS
    )

    def make(
        headers: Mapping[str, str] | None = None,
        timeout: httpx2.Timeout | None = timeout,
        auth: Any = None,
    ) -> httpx2.AsyncClient:
        client = httpx2.AsyncClient(headers=dict(headers or {}), timeout=timeout, auth=auth)
        return guarded_client(client, str(settings.url), around.reach(), LARGEST_MESSAGE)

    auth = around.auth(server.name, settings) if settings.auth else None
    if settings.transport == "sse":
        yield sse_client(
            settings.url,
            headers=dict(settings.headers),
            timeout=min(settings.connect_timeout, 30.0),
            sse_read_timeout=24 * 3600.0,
            httpx_client_factory=lambda headers=None, timeout=None, auth=None: make(
                headers, timeout, auth
            ),
            auth=auth,
        )
        return
    async with make(settings.headers, timeout, auth) as client:
        yield streamable_http_client(
            settings.url, http_client=client, max_sse_event_size=LARGEST_MESSAGE
        )


async def _start(server: Server, around: Around) -> Any:
    settings = server.settings
    env = {**around.environment(), **settings.env}
    assert settings.command is not None
    program = shutil.which(settings.command, path=env.get("PATH"))
    if program is None:
        raise Unreachable(
            f"the program {settings.command!r} is not installed",
            hint=f"Install it, or correct mcp_servers.{server.name}.command.",
            is_lasting=True,
        )
    return await around.launcher.start(
        [program, *settings.args], cwd=settings.cwd, env=env, confined=settings.sandbox
    )


def _client(server: Server, transport: Any, asking: Any, news: News, mode: str) -> Client:
    settings = server.settings

    async def on_message(message: Any) -> None:
        if isinstance(message, _CHANGES):
            news.on_change()

    async def on_log(params: types.LoggingMessageNotificationParams) -> None:
        _tell_log(server, params.level, params.data)

    return Client(
        transport,
        mode=mode,
        cache=None,
        client_info=types.Implementation(name="hermes", version=hermes.__version__),
        sampling_callback=asking.sample if settings.sampling.enabled else None,
        elicitation_callback=asking.elicit if settings.elicitation else None,
        list_roots_callback=asking.roots if settings.roots else None,
        logging_callback=on_log,
        log_level=LOG_LEVEL,
        message_handler=on_message,
    )


def _tell_log(server: Server, level: Any, data: Any) -> None:
    if server.people.on_log is not None:
        text = data if isinstance(data, str) else encode(data)
        server.people.on_log(server.name, str(level), text[:_LONGEST_LOG])


def _unreachable(server: Server, error: BaseException, status: int, reason: str) -> Unreachable:
    """Say in one sentence why a server could not be connected to."""
    cause = _cause(error)
    if isinstance(cause, Unreachable):
        return cause
    if isinstance(cause, HermesError):
        return Unreachable(cause.message, hint=cause.hint or "", is_lasting=True)
    if status in (401, 403):
        hint = f"Sign in with `hermes mcp login {server.name}`, or mend its headers."
        return Unreachable(f"it refuses us with HTTP {status}", hint=hint, is_lasting=True)
    if status >= 300:
        return Unreachable(
            f"it answered HTTP {status}{_told(cause)}",
            hint="Check the address of the server.",
            is_lasting=status < 500,
        )
    if reason:
        words = server.log.last_words
        said = f"; it said: {words}" if words else ""
        hint = f"Its own log is {server.log.file}."
        return Unreachable(f"{reason}{said}", hint=hint, may_be_old=True)
    if isinstance(cause, MCPError):
        return Unreachable(f"it answered with an error: {cause.error.message}")
    text = str(cause) or type(cause).__name__
    if isinstance(cause, OSError) and server.settings.command is not None:
        return Unreachable(f"it cannot be started: {cause.strerror or text}")
    return Unreachable(text.partition("\n")[0])


def _told(cause: BaseException) -> str:
    return f": {cause.error.message}" if isinstance(cause, MCPError) else ""


def _cause(error: BaseException) -> BaseException:
    """Return the one error of a group that tells most."""
    while isinstance(error, BaseExceptionGroup):
        inner = [one for one in error.exceptions if not isinstance(one, asyncio.CancelledError)]
        error = (inner or list(error.exceptions))[0]
    return error
