"""Clients that come over HTTP: who they are, and the way back to them, by the SDK."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic import BaseModel, ValidationError

from hermes.mcp.serving.changes import KINDS, Listener
from hermes.mcp.serving.client import Client
from hermes.mcp.serving.offering import Offering
from hermes.mcp.serving.wire import INVALID_REQUEST, RpcError, Wire, is_modern

Context = ServerRequestContext[Any, Any]
_MOST_CLIENTS = 1_000
_RESULTS: dict[str, type[BaseModel]] = {
    "elicitation/create": types.ElicitResult,
    "sampling/createMessage": types.CreateMessageResultWithTools,
    "roots/list": types.ListRootsResult,
}


class Outbox:
    """Send messages one after the other, in the order in which they were told."""

    def __init__(self, session: ServerSession, related_to: int | str | None) -> None:
        self._session = session
        self._related_to = related_to
        self._sending: asyncio.Task[None] | None = None
        self._waiting: list[types.ServerNotification] = []

    def tell(self, method: str, params: Wire) -> None:
        """Send a message as soon as those before it are sent."""
        said = {"method": method, "params": params}
        self._waiting.append(types.server_notification_adapter.validate_python(said))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.get_running_loop().create_task(self._send())

    async def flush(self) -> None:
        """Wait until all is sent."""
        if self._sending is not None:
            await self._sending

    async def _send(self) -> None:
        while self._waiting:
            await self._session.send_notification(self._waiting.pop(0), self._related_to)


class RequestChannel:
    """The way back to a client while its request is open."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._outbox = Outbox(ctx.session, ctx.request_id)

    def notify(self, method: str, params: Wire) -> None:
        """Send a message that belongs to the request."""
        self._outbox.tell(method, params)

    async def flush(self) -> None:
        """Wait until everything that was told is sent."""
        await self._outbox.flush()

    async def request(self, method: str, params: Wire) -> Wire:
        """Ask the client and wait for its answer.

        Raises:
            RpcError: it answered with an error, or cannot be asked.
        """
        asked = types.server_request_adapter.validate_python({"method": method, "params": params})
        related = ServerMessageMetadata(related_request_id=self._ctx.request_id)
        await self.flush()
        try:
            found = await self._ctx.session.send_request(asked, _RESULTS[method], metadata=related)
        except MCPError as error:
            raise RpcError(error.code, error.message, error.error.data) from error
        except ValidationError as error:
            raise RpcError(INVALID_REQUEST, "the client's answer does not fit") from error
        return found.model_dump(by_alias=True, mode="json", exclude_none=True)


class Clients:
    """Know clients by their sessions; those of the modern era have none."""

    def __init__(self, offering: Offering, task_id: str) -> None:
        self._offering = offering
        self._task_id = task_id
        self._known: OrderedDict[str, tuple[Client, Callable[[], None]]] = OrderedDict()

    def of(self, ctx: Context) -> Client:
        """Return who made a request."""
        session = ctx.request.headers.get("mcp-session-id") if ctx.request is not None else None
        if session is None or is_modern(ctx.protocol_version):
            return self._met(ctx, self._task_id)
        if session not in self._known:
            client = self._met(ctx, f"{self._task_id}-{session[:8]}")
            self._known[session] = (client, self._tell_of_changes(ctx.session, client))
            if len(self._known) > _MOST_CLIENTS:
                self._known.popitem(last=False)[1][1]()
        self._known.move_to_end(session)
        return self._known[session][0]

    def _met(self, ctx: Context, task_id: str) -> Client:
        return Client(ctx.protocol_version, _dumped(ctx.session.client_capabilities), {}, task_id)

    def _tell_of_changes(self, session: ServerSession, client: Client) -> Callable[[], None]:
        outbox = Outbox(session, None)
        listener = Listener(frozenset(KINDS), lambda: client.subscribed, outbox.tell)
        return self._offering.changes.listen(listener)


def _dumped(model: BaseModel | None) -> Wire:
    return {} if model is None else model.model_dump(by_alias=True, mode="json", exclude_none=True)
