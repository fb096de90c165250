"""Ask the system which addresses a host has."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable

Resolve = Callable[[str, int], Awaitable[Iterable[str]]]


async def resolved(host: str, port: int) -> tuple[str, ...]:
    """Return every address that the system knows of a host.

    Raises:
        OSError: there is no such host.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))
