"""Dial judged addresses only: a host is resolved once, at the moment it is connected to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib.util import find_spec
from typing import Any

import httpcore2
import httpx2

from hermes.base.resolving import Resolve, resolved
from hermes.base.wire import connect

Admit = Callable[[str, int, Iterable[str]], Sequence[str]]
"""Gives those addresses of a host that may be dialled, at least one; raises if there is none."""

_ATTEMPT_SECONDS = 5.0

_dialling: ContextVar[tuple[Admit, Resolve]] = ContextVar("dialling")


def guard(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    """Have a client's own connections judged; where a proxy connects is the proxy's to judge."""
    transport: Any = client._transport  # there is no public way that leaves the proxies in place
    transport._pool._network_backend = _Guard()
    return client


def judged_client(*, speaks_two: bool = False, kept: int = 20) -> httpx2.AsyncClient:
    """Return a client that keeps connections but neither cookies nor redirects of its own.

    ``speaks_two`` has it speak HTTP/2 where that is installed.
    """
    nothing = DefaultCookiePolicy(allowed_domains=[])
    client = httpx2.AsyncClient(
        cookies=CookieJar(policy=nothing),
        follow_redirects=False,
        http2=speaks_two and find_spec("h2") is not None,
        timeout=None,  # the whole call has one limit, retries and redirects included
        limits=httpx2.Limits(
            max_connections=100, max_keepalive_connections=kept, keepalive_expiry=30
        ),
    )
    return guard(client)


@contextmanager
def dialling(admit: Admit, resolve: Resolve = resolved) -> Iterator[None]:
    """Have whatever is connected to in this context judged by ``admit``."""
    token = _dialling.set((admit, resolve))
    try:
        yield
    finally:
        _dialling.reset(token)


async def send(client: httpx2.AsyncClient, request: httpx2.Request) -> httpx2.Response:
    """Send a request as it is over a client's connections; whoever asked reads and closes it.

    All else that a client does for a request would be done here in vain: nobody logs in, follows
    or keeps cookies but whoever asks.
    """
    transport = client._transport_for_url(request.url)  # there is no public way to its proxies
    response = await transport.handle_async_request(request)
    response.request = request
    return response


def peer_of(response: httpx2.Response) -> str | None:
    """Return the address that an answer came from, if it is known."""
    stream = response.extensions.get("network_stream")
    peer = stream.get_extra_info("server_addr") if stream is not None else None
    return None if peer is None else str(peer[0]).partition("%")[0]


class _Guard(httpcore2.AsyncNetworkBackend):
    """Connect to what was judged, under the rules of the request that wants it."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's own signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        admit, resolve = _dialling.get()
        try:
            addresses = await resolve(host, port)
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        *others, last = admit(host, port, addresses)
        for address in others:
            try:
                return await connect(address, port, _ATTEMPT_SECONDS, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await connect(last, port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
