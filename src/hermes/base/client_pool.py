"""Keep one HTTP client, and so one set of open connections, for each event loop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol


class Client(Protocol):
    """What the pool needs of a client."""

    async def aclose(self) -> None:
        """Close every connection."""


class ClientPool:
    """Hand out the client of a loop; connections cannot move from one loop to another.

    Whoever makes the pool closes it: ``aclose`` from within a loop, ``close`` from anywhere.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clients: dict[Any, Any] = {}

    def client(self, loop: Any, make: Callable[[], Client]) -> Any:
        """Return the client of a loop, made on first use; those of closed loops are let go."""
        client = self._clients.get(loop)
        if client is None:
            with self._lock:
                self._clients = {
                    known: kept for known, kept in self._clients.items() if not known.is_closed()
                }
                client = self._clients.setdefault(loop, make())
        return client

    def close(self) -> None:
        """Close all clients, each on its own loop; loops that stand still only let go of theirs."""
        with self._lock:
            clients, self._clients = self._clients, {}
        for loop, client in clients.items():
            if loop.is_running():
                loop.call_soon_threadsafe(_close_soon, loop, client)

    async def aclose(self, loop: Any) -> None:
        """Close the client of the running loop and wait for it, then all others."""
        with self._lock:
            client = self._clients.pop(loop, None)
        if client is not None:
            await client.aclose()
        self.close()


def _close_soon(loop: Any, client: Client) -> None:
    task = loop.create_task(client.aclose())
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
