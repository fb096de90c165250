"""Dial judged addresses only: a host is resolved once, at the moment it is connected to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpcore2
import httpx2

from hermes.base.errors import Denied
from hermes.policy.urls import UrlRules, admit, is_private, judge
from hermes.runtime.reach import Reach

_ATTEMPT_SECONDS = 5.0

_dialling: ContextVar[tuple[UrlRules, Reach]] = ContextVar("dialling")


def guard(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    """Have a client's own connections judged; where a proxy connects is the proxy's to judge."""
    transport: Any = client._transport  # there is no public way that leaves the proxies in place
    transport._pool._network_backend = _Guard()
    return client


@contextmanager
def dialling(url: str, reach: Reach, *, opens: bool) -> Iterator[None]:
    """Judge an address, and by the same rules whatever is connected to for it.

    Raises:
        Denied: it is not reached, whatever its name stands for.
    """
    rules = UrlRules(opens)
    verdict = judge(url, rules)
    if verdict.decision != "allow":
        raise Denied(verdict.reason, rule=f"urls: {verdict.rule}")
    token = _dialling.set((rules, reach))
    try:
        yield
    finally:
        _dialling.reset(token)


def came_from_inside(response: httpx2.Response) -> bool:
    """Say whether an answer came from this machine or a private network."""
    stream = response.extensions.get("network_stream")
    peer = stream.get_extra_info("server_addr") if stream is not None else None
    return peer is not None and is_private(str(peer[0]).partition("%")[0])


class _Guard(httpcore2.AsyncNetworkBackend):
    """Connect to what was judged, under the rules of the request that wants it."""

    def __init__(self) -> None:
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's own signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        rules, reach = _dialling.get()
        try:
            addresses = await reach.resolve(host, port)
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        *others, last = admit(host, port, addresses, rules, reach.own()).addresses
        for address in others:
            try:
                return await self._inner.connect_tcp(
                    address, port, _ATTEMPT_SECONDS, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._inner.connect_tcp(last, port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)
