"""HTTP to servers within bounds: judged addresses only, and no answer without an end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

import httpx2

from hermes.base.dialling import dialling, guard
from hermes.base.errors import Denied
from hermes.mcp.links import seen
from hermes.policy.urls import UrlRules, admit, judge
from hermes.runtime.reach import Reach


def guarded_client(
    client: httpx2.AsyncClient, url: str, reach: Reach, largest: int
) -> httpx2.AsyncClient:
    """Have a client reach the host of a configured address, and others as the settings say.

    The person named that host, so it may be one of this machine; whatever else the client is led
    to, such as to sign in, is judged as any address of a stranger.
    """
    guard(client)
    inside: Any = client  # there is no public way that leaves the proxies in place
    inside._transport = _Bounded(inside._transport, url, reach, largest)
    for pattern, mounted in inside._mounts.items():
        if mounted is not None:
            inside._mounts[pattern] = _Bounded(mounted, url, reach, largest)
    return client


class _Bounded(httpx2.AsyncBaseTransport):
    def __init__(
        self, inner: httpx2.AsyncBaseTransport, url: str, reach: Reach, largest: int
    ) -> None:
        self._inner = inner
        self._named = httpx2.URL(url)
        self._reach = reach
        self._largest = largest

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request where it may go; note what came of it."""
        rules = self._rules(request.url)
        verdict = judge(str(request.url), rules)
        if verdict.decision != "allow":
            raise Denied(verdict.reason, rule=f"urls: {verdict.rule}")

        def admitted(host: str, port: int, addresses: Iterable[str]) -> Sequence[str]:
            return admit(host, port, addresses, rules, self._reach.own()).addresses

        with dialling(admitted, self._reach.resolve):
            response = await self._inner.handle_async_request(request)
        noted = seen.get()
        if noted is not None:
            noted.status = response.status_code
        kind = response.headers.get("content-type", "")
        if not kind.startswith("text/event-stream"):
            response.stream = _Limited(response.stream, self._largest)
        return response

    def _rules(self, url: httpx2.URL) -> UrlRules:
        named = self._named
        if (url.host, url.port) == (named.host, named.port):
            port = url.port or {"http": 80, "https": 443}.get(url.scheme, 80)
            return UrlRules(self._reach.allows_private, (f"{_bracketed(url.host)}:{port}",))
        return UrlRules(self._reach.allows_private)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._inner.aclose()


class _Limited(httpx2.AsyncByteStream):
    """A body that breaks off where it gets too long."""

    def __init__(self, inner: Any, largest: int) -> None:
        self._inner = inner
        self._largest = largest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._largest
        async for part in self._inner:
            left -= len(part)
            if left < 0:
                raise httpx2.StreamError(f"an answer of more than {self._largest:,} bytes")
            yield part

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._inner.aclose()


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
