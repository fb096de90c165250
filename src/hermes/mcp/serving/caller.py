"""Who asks, and the way back to them while their request is open."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Protocol

from hermes.mcp.serving.client import CAPABILITIES, Client
from hermes.mcp.serving.wire import (
    INTERNAL_ERROR,
    LEVEL_KEY,
    LEVELS,
    MISSING_CAPABILITY,
    Json,
    RpcError,
    Wire,
)


class Channel(Protocol):
    """The way back to whoever sent a request; used on the loop only."""

    def notify(self, method: str, params: Wire) -> None:
        """Send a message that belongs to the request."""

    async def request(self, method: str, params: Wire) -> Wire:
        """Ask the client while its request is open, and wait; in the handshake era only.

        Raises:
            RpcError: the client answered with an error, or cannot be asked this way.
        """


class Need:
    """Something that a client was asked for and did not answer yet."""

    __slots__ = ("answer", "body")

    def __init__(self, body: Wire, answer: asyncio.Future[Wire]) -> None:
        self.body = body
        self.answer = answer


class Caller:
    """One request of a client: what is asked along with it, and the way back."""

    def __init__(self, client: Client, channel: Channel, params: Wire) -> None:
        self.client = client
        self.refusal: RpcError | None = None
        """Answered in place of a result, when what runs cannot raise it itself."""
        self.needs: dict[str, Need] = {}
        self.needed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._done: float | None = None
        self._is_open = True
        self._volunteered: Wire = {}
        self._take(channel, params)

    def _take(self, channel: Channel, params: Wire) -> None:
        meta = params.get("_meta")
        said: Mapping[str, Any] = meta if isinstance(meta, dict) else {}
        token = said.get("progressToken")
        is_token = isinstance(token, (str, int)) and not isinstance(token, bool)
        self._channel = channel
        self._token: Json = token if is_token else None
        level = said.get(LEVEL_KEY)
        self._level = level if level in LEVELS else None
        responses = params.get("inputResponses")
        if isinstance(responses, dict):
            self._volunteered = responses

    def adopt(self, other: Caller, params: Wire) -> None:
        """Go on with the request by which the client came back with answers."""
        self._take(other._channel, params)
        self.needed.clear()
        for key, need in self.needs.items():
            answer = self._volunteered.get(key)
            if isinstance(answer, dict) and not need.answer.done():
                need.answer.set_result(answer)
        if any(not need.answer.done() for need in self.needs.values()):
            self.needed.set()

    def close(self) -> None:
        """Say nothing more: the request is about to be answered."""
        self._is_open = False

    @property
    def level(self) -> str | None:
        """The least level that is logged for this request; None means nothing."""
        return self._level if self.client.is_modern else self.client.level

    def tell(self, method: str, params: Wire) -> None:
        """Send a message that belongs to the request, from any thread; nothing once it is over."""
        if not self._is_open:
            return
        if threading.get_ident() == self._thread:
            self._channel.notify(method, params)
        else:
            self._loop.call_soon_threadsafe(self._later, method, params)

    def _later(self, method: str, params: Wire) -> None:
        self._channel.notify(method, params)

    def progress(
        self, message: str = "", *, done: float | None = None, total: float | None = None
    ) -> None:
        """Say how far the request has come, if the client wants to know.

        What gets no further is not told: the protocol wants progress to grow.
        """
        if done is None:
            done = 1.0 if self._done is None else self._done + 1
        if self._token is None or (self._done is not None and done <= self._done):
            return
        self._done = done
        body: Wire = {"progressToken": self._token, "progress": self._done}
        if total is not None:
            body["total"] = total
        if message:
            body["message"] = message
        self.tell("notifications/progress", body)

    def log(self, level: str, data: Json, logger: str = "") -> None:
        """Pass on something worth knowing, if the client wants to know of such.

        A client of the handshake era that never said what it wants hears of all but details.
        """
        if is_wanted(level, self.level or (None if self.client.is_modern else "info")):
            body: Wire = {"level": level, "data": data}
            self.tell("notifications/message", {**body, "logger": logger} if logger else body)

    def require(self, capability: str) -> None:
        """Make sure that the client can be asked for something.

        Raises:
            RpcError: it did not say so.
        """
        if not self.client.can(capability):
            message = f"the client did not declare the capability '{capability}'"
            raise RpcError(MISSING_CAPABILITY, message, {"requiredCapabilities": {capability: {}}})

    async def ask(self, method: str, params: Wire, key: str = "") -> Wire:
        """Ask the client for something and wait for its answer.

        In the modern era the answer comes with another request; a ``key`` that is given lets the
        client bring it along unasked.

        Raises:
            RpcError: it cannot be asked, or answered with an error.
        """
        self.require(CAPABILITIES[method])
        if not self._is_open:
            raise RpcError(INTERNAL_ERROR, "the request that this belongs to is over")
        if not self.client.is_modern:
            return await self._channel.request(method, params)
        volunteered = self._volunteered.get(key) if key else None
        if isinstance(volunteered, dict):
            return volunteered
        need = Need({"method": method, "params": params}, self._loop.create_future())
        key = key or secrets.token_hex(8)
        self.needs[key] = need
        self.needed.set()
        try:
            return await need.answer
        finally:
            self.needs.pop(key, None)


CURRENT: ContextVar[Caller | None] = ContextVar("mcp_caller", default=None)
"""Whose request the running code works for."""


def is_wanted(level: str, least: str | None) -> bool:
    """Say whether something of a level is to be told to who wants this level and above."""
    return least is not None and LEVELS.index(level) >= LEVELS.index(least)
