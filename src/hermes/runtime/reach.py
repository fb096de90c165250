"""What requests of tools may reach; the runtime is handed what the user's settings say."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple

Resolve = Callable[[str, int], Awaitable[Iterable[str]]]


async def resolved(host: str, port: int) -> tuple[str, ...]:
    """Return every address that the system knows of a host.

    Raises:
        OSError: there is no such host.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


class Reach(NamedTuple):
    """Which addresses a request may go to, and who says what a name stands for."""

    allows_private: bool = False
    """Whether addresses of this machine and of private networks are open."""
    own: Callable[[], frozenset[str]] = frozenset
    """Gives this machine's own addresses."""
    resolve: Resolve = resolved
