"""The one way of a browser's connections: a proxy that judges each and dials what it judged."""

from __future__ import annotations

import socket
from collections.abc import Callable

from hermes.base.errors import Denied
from hermes.base.resolving import Resolve, resolved
from hermes.environments.sandbox.proxy import Allowed, Proxy
from hermes.policy.urls import UrlRules, admit, judge

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_ALL_PORTS = range(1, 65_536)
# what Chromium itself asks for when it starts, whatever it is told
_OWN_ERRANDS = (
    "www.google.com:443 ", "accounts.google.com:443 ", "clients2.google.com:443 ",
    "update.googleapis.com:443 ", "content-autofill.googleapis.com:443 ",
    "optimizationguide-pa.googleapis.com:443 ", "edgedl.me.gvt1.com:443 ",
)  # fmt: skip


class Passage:
    """Carry the connections of one task's pages, by the rules of its latest call."""

    def __init__(self, own: Callable[[], frozenset[str]], resolve: Resolve = resolved) -> None:
        self._own = own
        self._resolve = resolve
        self.rules: tuple[UrlRules, ...] = (UrlRules(),)
        self._proxy = Proxy(Allowed(("*",), _METHODS, _ALL_PORTS), self._address)
        self._listener: socket.socket | None = None

    async def open(self) -> str:
        """Begin to listen, and return the proxy's address."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        await self._proxy.serve(self._listener)
        return f"http://127.0.0.1:{port}"

    async def close(self) -> None:
        """Stop listening."""
        await self._proxy.close()
        if self._listener is not None:
            self._listener.close()

    def refused(self) -> tuple[str, ...]:
        """Return what pages were not let through to since this was asked last."""
        return tuple(each for each in self._proxy.told() if not each.startswith(_OWN_ERRANDS))

    def unreached(self) -> dict[str, str]:
        """Return why hosts could not be reached since this was asked last."""
        return {host: _words(error) for host, error in self._proxy.failed().items()}

    async def _address(self, host: str, port: int) -> str:
        addresses: tuple[str, ...] = ()
        for rules in self.rules:
            spelt = f"[{host}]" if ":" in host else host
            verdict = judge(f"http://{spelt}:{port}/", rules)
            if verdict.decision != "allow":
                raise Denied(verdict.reason, rule=verdict.rule)
            addresses = addresses or tuple(await self._resolve(host, port))
            addresses = admit(host, port, addresses, rules, self._own()).addresses
        return addresses[0]


def _words(error: Exception) -> str:
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    if isinstance(error, ConnectionRefusedError):
        return "nobody answers there"
    return "it does not answer" if isinstance(error, TimeoutError) else "it cannot be reached"
