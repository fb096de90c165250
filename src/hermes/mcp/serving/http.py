"""Serve clients over Streamable HTTP: the SDK speaks, we answer."""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
import socket
import sys
from collections.abc import Callable
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.types import ASGIApp, Receive, Scope, Send

from hermes.base.errors import ConfigError
from hermes.mcp.serving.caller import Caller
from hermes.mcp.serving.door import Door
from hermes.mcp.serving.facts import Facts
from hermes.mcp.serving.http_clients import Clients, RequestChannel
from hermes.mcp.serving.offering import Offering
from hermes.mcp.serving.stdio import MOST_BYTES
from hermes.mcp.serving.wire import INTERNAL_ERROR, RpcError, Wire

__all__ = ["PATH", "Door", "serve"]

PATH = "/mcp"
_LEAVE_SECONDS = 2
_MOST_SESSIONS = 1_000
_TALKATIVE = ("mcp", "uvicorn.error")
"""Logs of libraries that tell of every client that leaves."""
_log = logging.getLogger("hermes.mcp.serving")
_PARAMS: dict[str, type[Any]] = {
    "server/discover": types.RequestParams,
    "tools/list": types.PaginatedRequestParams,
    "tools/call": types.CallToolRequestParams,
    "resources/list": types.PaginatedRequestParams,
    "resources/templates/list": types.PaginatedRequestParams,
    "resources/read": types.ReadResourceRequestParams,
    "resources/subscribe": types.SubscribeRequestParams,
    "resources/unsubscribe": types.UnsubscribeRequestParams,
    "prompts/list": types.PaginatedRequestParams,
    "prompts/get": types.GetPromptRequestParams,
    "completion/complete": types.CompleteRequestParams,
    "logging/setLevel": types.SetLevelRequestParams,
    "subscriptions/listen": types.SubscriptionsListenRequestParams,
}

Context = ServerRequestContext[Any, Any]


class _Server(Server[Any]):
    """The SDK's server, saying of itself what we say."""

    def __init__(self, facts: Facts, **more: Any) -> None:
        super().__init__(**facts.info, instructions=facts.instructions or None, **more)
        self._facts = facts

    def get_capabilities(self, *_: Any, **__: Any) -> types.ServerCapabilities:
        """Return what a client may ask for."""
        return types.ServerCapabilities.model_validate(self._facts.capabilities())


class _Answering:
    """Hand the requests that the SDK took in to who answers them."""

    def __init__(self, offering: Offering, task_id: str) -> None:
        self._offering = offering
        self._clients = Clients(offering, task_id)

    def server(self) -> Server[Any]:
        """Return the SDK's server, with every method that we answer."""
        server = _Server(self._offering.facts, get_tool_input_schema=self._offering.schema_of)
        for method, kind in _PARAMS.items():
            server.add_request_handler(method, kind, functools.partial(self._answer, method))
        return server

    async def _answer(self, method: str, ctx: Context, _: Any) -> Wire:
        channel = RequestChannel(ctx)
        params = dict(ctx.params or {})
        caller = Caller(self._clients.of(ctx), channel, params)
        try:
            if method == "subscriptions/listen":
                found: Any = self._offering.listen(params, caller, ctx.request_id)
            else:
                found = self._offering.answer(method, params, caller)
            body: Wire = await found if inspect.isawaitable(found) else found
            await channel.flush()
        except RpcError as problem:
            await channel.flush()
            raise MCPError(problem.number, problem.message, problem.data) from problem
        except MCPError:
            raise
        except Exception as error:  # a bug ends one answer, never the server
            _log.exception("hermes itself failed while answering %s", method)
            raise MCPError(INTERNAL_ERROR, "Internal error") from error
        return body


class _Guard:
    """Let in requests that show what the door wants; say to all others why not."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}

        def header(name: str) -> str | None:
            return headers[name].decode("latin-1") if name in headers else None

        refused = self._door.refusal(
            header("host") or "", header("origin"), header("authorization") or ""
        )
        if refused is None and scope["path"].rstrip("/") != PATH:
            refused = 404, f"Not found; the server is at {PATH}"
        if refused is None:
            await self._app(scope, receive, send)
        else:
            await _refuse(send, *refused)


async def _refuse(send: Send, status: int, reason: str) -> None:
    told = [(b"content-type", b"text/plain; charset=utf-8")]
    if status == 401:
        told.append((b"www-authenticate", b'Bearer realm="hermes"'))
    await send({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": f"{reason}\n".encode()})


async def serve(
    offering: Offering,
    door: Door,
    task_id: str,
    *,
    opened: Callable[[str], None] = lambda url: print(f"serving at {url}", file=sys.stderr),  # noqa: T201 - told once, to the person who started it
) -> None:
    """Serve at a door until cancelled; ``opened`` is told the address when it can be reached.

    Raises:
        ConfigError: nobody can listen there.
    """
    listening = _listen(door)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    manager = StreamableHTTPSessionManager(
        _Answering(offering, task_id).server(),
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=MOST_BYTES,
        max_sessions=_MOST_SESSIONS,
    )
    app = _Guard(StreamableHTTPASGIApp(manager), door)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=_LEAVE_SECONDS,
        )
    )
    running = asyncio.get_running_loop().create_task(server.serve([listening]))
    try:
        async with manager.run():
            opened(_url(listening, door))
            try:
                await asyncio.shield(running)
            finally:
                offering.close()  # who listens is told so, while that can still be said
                server.should_exit = True
                await asyncio.sleep(0)
    finally:  # streams that were open have ended with the manager
        await asyncio.wait((running,), timeout=2 * _LEAVE_SECONDS)
        listening.close()


def _listen(door: Door) -> socket.socket:
    try:
        family = socket.getaddrinfo(door.host, door.port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((door.host, door.port))
        listening.listen(128)
    except OSError as error:
        raise ConfigError(
            f"nobody can listen at {door.host}:{door.port}: {error.strerror or error}",
            hint="Choose another port, or stop what listens there.",
        ) from error
    listening.setblocking(False)
    return listening


def _url(listening: socket.socket, door: Door) -> str:
    host = f"[{door.host}]" if ":" in door.host else door.host
    return f"http://{host}:{listening.getsockname()[1]}{PATH}"
