"""Where a server is reached over HTTP, and who is let in."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

_LOOPBACK_NAMES = frozenset({"localhost", "localhost."})


class Door(NamedTuple):
    """An address to listen at, and what a request must show."""

    host: str
    port: int
    token: str | None = None
    """What a client must show; None lets in everybody on this machine."""
    hosts: Sequence[str] = ()
    """Further names that the server is reached by."""
    origins: Sequence[str] = ()
    """Web pages that may use it."""

    @property
    def is_loopback(self) -> bool:
        """Whether only programs of this machine reach it."""
        return is_loopback(self.host)

    def refusal(self, host: str, origin: str | None, authorization: str) -> tuple[int, str] | None:
        """Return the status and the reason by which a request is sent away; None lets it in.

        A name that is none of ours comes from a page that had its own name lead here, and an
        origin that is none of ours from a page that its person did not mean to let in.
        """
        if not self._knows(host):
            return 403, "Invalid Host header"
        if origin is not None and not self._trusts(origin):
            return 403, "Invalid Origin header"
        if self.token is not None and not _shows(authorization, self.token):
            return 401, "A bearer token is required"
        return None

    def _knows(self, host: str) -> bool:
        name = _name(host)
        if not name:
            return False
        if name in map(str.lower, self.hosts) or name == self.host.lower() or is_loopback(name):
            return True
        return not self.is_loopback and _address(name) is not None

    def _trusts(self, origin: str) -> bool:
        if origin in self.origins:
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and is_loopback(parts.hostname or "")


def is_loopback(name: str) -> bool:
    """Say whether a name or an address means this machine alone."""
    address = _address(name)
    return name.lower() in _LOOPBACK_NAMES if address is None else address.is_loopback


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return None


def _name(host: str) -> str:
    """Return the name of a Host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _shows(authorization: str, token: str) -> bool:
    scheme, _, shown = authorization.partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(
        shown.strip().encode("utf-8", "replace"), token.encode()
    )
