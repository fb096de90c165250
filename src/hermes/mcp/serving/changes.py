"""Notice that tools, resources or prompts changed, and tell whoever wants to know."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from typing import NamedTuple

from hermes.base.errors import HermesError
from hermes.mcp.serving.wire import Json, Wire

Tell = Callable[[str, Wire], None]
Looks = Callable[[Collection[str]], dict[str, Json]]
"""Gives what there is to compare: under ``tools``, ``resources``, ``prompts`` and each address."""

KINDS = ("tools", "resources", "prompts")
_LOOK_SECONDS = 1.0
_log = logging.getLogger("hermes.mcp.serving")


class Listener(NamedTuple):
    """Who wants to know of what."""

    kinds: frozenset[str]
    uris: Callable[[], Collection[str]]
    tell: Tell


class Changes:
    """Look now and then, and after every call, as long as somebody listens."""

    def __init__(
        self,
        looks: Looks,
        aside: Callable[[Callable[[], dict[str, Json]]], Awaitable[dict[str, Json]]],
        seen: dict[str, Json],
        seconds: float = _LOOK_SECONDS,
    ) -> None:
        """Compare with what was ``seen`` when the first client came."""
        self._looks = looks
        self._aside = aside
        self._seconds = seconds
        self._listeners: dict[object, Listener] = {}
        self._seen = seen
        self._watching: asyncio.Task[None] | None = None
        self._stirred = asyncio.Event()
        self.closing = asyncio.Event()
        """Set when the server ends, so that who listens is told so."""

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell somebody of changes from now on; returns how to stop that."""
        token = object()
        self._listeners[token] = listener
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())
        else:
            self._stirred.set()

        def stop() -> None:
            self._listeners.pop(token, None)

        return stop

    def note(self, key: str, value: Json) -> None:
        """Remember how something was when a client began to care, unless somebody did before."""
        self._seen.setdefault(key, value)

    def stir(self) -> None:
        """Look soon: something may have changed."""
        if self._listeners:
            self._stirred.set()

    def close(self) -> None:
        """Stop looking."""
        self.closing.set()
        if self._watching is not None:
            self._watching.cancel()

    async def _watch(self) -> None:
        try:
            while self._listeners:
                self._stirred.clear()
                try:
                    self._compare(await self._aside(self._look))
                except (HermesError, OSError) as error:
                    _log.warning("what is served could not be looked at: %s", error)
                try:
                    async with asyncio.timeout(self._seconds):
                        await self._stirred.wait()
                except TimeoutError:
                    continue
        finally:
            self._watching = None

    def _look(self) -> dict[str, Json]:
        uris = {uri for listener in list(self._listeners.values()) for uri in listener.uris()}
        return self._looks(uris)

    def _compare(self, found: dict[str, Json]) -> None:
        before, self._seen = self._seen, {**self._seen, **found}
        for key, value in found.items():
            if key not in before or before[key] == value:
                continue
            for listener in list(self._listeners.values()):
                self._tell(listener, key)

    def _tell(self, listener: Listener, key: str) -> None:
        if key in listener.kinds:
            listener.tell(f"notifications/{key}/list_changed", {})
        elif key not in KINDS and key in listener.uris():
            listener.tell("notifications/resources/updated", {"uri": key})
