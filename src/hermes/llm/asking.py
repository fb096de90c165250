"""Ask a model over HTTP: put the question, read the answer, try again where that can help."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol

from hermes.base.messages import Json
from hermes.base.optional import load
from hermes.base.pairing import sound
from hermes.llm.contract import Piece, Reply, Request, Retry
from hermes.llm.endpoint import DONE, Endpoint, Measured, Patience
from hermes.llm.troubles import Failed, of_event

if TYPE_CHECKING:
    from hermes.llm.http import Wire

_MEASURE_SECONDS = 3


class Reader(Protocol):
    """Put one answer together from its events; whatever they hold, it only ever raises Failed."""

    def read(self, event: dict[str, Json]) -> Iterable[Piece]:
        """Return the pieces that an event brings."""

    def finish(self, *, is_done: bool) -> Reply:
        """Return the whole answer.

        Raises:
            Failed: it ended before it was whole; ``is_done`` says that the service closed it.
        """


class Adapter(Protocol):
    """What differs between the protocols of services."""

    optional: tuple[str, ...]
    """Parts of a question that can be left out when a service refuses them."""

    def path(self) -> str:
        """Return where questions go, beneath the service's address."""

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers that carry the key and the version."""

    def body(self, request: Request, without: frozenset[str]) -> dict[str, Json]:
        """Return a question as the service takes it, without some of the optional parts."""

    def reader(self) -> Reader:
        """Return what reads one answer."""


Measure = Callable[["Wire", dict[str, str]], Awaitable[Measured]]
"""Ask a service what its model takes."""


class HttpModel:
    """A model behind an HTTP API."""

    def __init__(
        self,
        name: str,
        window: int,
        adapter: Adapter,
        endpoint: Endpoint,
        *,
        patience: Patience | None = None,
        measure: Measure | None = None,
        measures: int = 1,
    ) -> None:
        self.name = name
        self.window = window
        self._adapter = adapter
        self._patience = patience or Patience()
        self._endpoint = endpoint
        self._opened: Wire | None = None
        self._measure = measure
        self._unmeasured = 0 if measure is None else measures
        self._is_measured = False
        self.has_tools = True
        """False once the service said that the model is never shown its tools."""
        self._without: frozenset[str] = frozenset()

    @property
    def _wire(self) -> Wire:
        """The connections, made with the first question: the library for them takes its time."""
        if self._opened is None:
            self._opened = load("hermes.llm.http").Wire(self._endpoint, self._patience)
        return self._opened

    async def ask(self, request: Request) -> AsyncGenerator[Piece, None]:
        """Put a question and yield its answer as it comes; a ``Reply`` is the last.

        Raises:
            ModelError: there is no answer, and trying again did not help.
        """
        await self.measure()
        request = request._replace(messages=sound(request.messages))
        tries = 0
        while True:
            try:
                async with aclosing(self._once(request)) as pieces:
                    async for piece in pieces:
                        yield piece
                break
            except Failed as told:
                failure = self._wire.clean(told)
                if self._can_do_without(failure):
                    continue
                tries += 1
                wait = self._wait(failure, tries)
                if wait is None:
                    raise failure.error from None
                yield Retry(failure.error.message, wait)
            await asyncio.sleep(wait)
        await self._take_measure()

    async def _once(self, request: Request) -> AsyncGenerator[Piece, None]:
        reader, is_done = self._adapter.reader(), False
        headers = self._adapter.headers(self._endpoint.key)
        body = self._adapter.body(request, self._without)
        stream = self._wire.stream(self._adapter.path(), headers, body)
        async with aclosing(stream) as events:
            async for event in events:
                if event is DONE:
                    is_done = True
                elif isinstance(event, dict):
                    if event.get("error"):
                        raise of_event(self._endpoint.host, event)
                    for piece in reader.read(event):
                        yield piece
        yield reader.finish(is_done=is_done)

    def _can_do_without(self, failure: Failed) -> bool:
        """Leave out an optional part that the service refused, and say whether there was one."""
        if failure.status not in {400, 404, 422}:
            return False
        said = failure.error.message.lower()
        for name in self._adapter.optional:
            if name in said and name not in self._without:
                self._without |= {name}
                return True
        return False

    def _wait(self, failure: Failed, tries: int) -> float | None:
        """Return how long to wait before the next try; None when there is none."""
        patience, asked = self._patience, failure.error.wait_seconds
        if not failure.may_pass or tries >= patience.tries:
            return None
        if asked is not None:
            return asked if asked <= patience.longest_wait_seconds else None
        wait = patience.first_wait_seconds * 2.0 ** (tries - 1) * random.uniform(0.5, 1)
        return min(wait, patience.longest_wait_seconds)

    async def measure(self) -> None:
        """Learn from the service what the model takes, if that is not known yet."""
        if not self._is_measured:
            self._is_measured = True
            await self._take_measure()

    async def _take_measure(self) -> None:
        """Learn the window where it is not known; a server may tell only once it has loaded."""
        if not self._unmeasured or self._measure is None:
            return
        self._unmeasured -= 1
        try:
            headers = self._adapter.headers(self._endpoint.key)
            async with asyncio.timeout(_MEASURE_SECONDS):
                told = await self._measure(self._wire, headers)
            self.window, self.has_tools = told.window or self.window, told.has_tools
        except (Failed, TimeoutError):
            return

    async def close(self) -> None:
        """Close the connections."""
        if self._opened is not None:
            await self._opened.close()
