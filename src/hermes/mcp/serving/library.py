"""All shelves of a server together: resources to read, prompts to begin with."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Sequence

from hermes.mcp.serving.caller import Caller
from hermes.mcp.serving.shelves import Prompts, Shelf
from hermes.mcp.serving.wire import INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcError, Wire, invalid
from hermes.runtime.bridge import aside

_MOST_VALUES = 100
_LOOK_SECONDS = 5.0


class Library:
    """Find what clients ask for on the shelves; what takes its time is looked for in a thread."""

    def __init__(self, shelves: Sequence[Shelf], prompts: Sequence[Prompts]) -> None:
        self._shelves = shelves
        self._prompts = prompts
        self._seen: list[str] = []
        self._look_at = 0.0

    def resources(self) -> list[Wire]:
        """Return all resources, as clients are told of them."""
        return [one for shelf in self._shelves for one in shelf.listed()]

    def templates(self) -> list[Wire]:
        """Return the patterns of further addresses."""
        return [one for shelf in self._shelves for one in shelf.templates()]

    def prompts(self) -> list[Wire]:
        """Return all prompts, as clients are told of them."""
        return [one for shelf in self._prompts for one in shelf.listed()]

    def addresses(self) -> list[str]:
        """Return the addresses of all resources, as of a moment ago."""
        if time.monotonic() >= self._look_at:
            self._look_at = time.monotonic() + _LOOK_SECONDS
            self._seen = [one["uri"] for one in self.resources()]
        return self._seen

    def stamp(self, uri: str) -> object:
        """Return a value that changes when a resource does."""
        stamps = (shelf.stamp(uri) for shelf in self._shelves)
        return next((stamp for stamp in stamps if stamp is not None), None)

    async def read(self, uri: str, caller: Caller) -> Wire:
        """Return what is behind an address.

        Raises:
            RpcError: there is nothing.
        """

        def read() -> list[Wire] | None:
            found = (shelf.read(uri) for shelf in self._shelves)
            held = next((one for one in found if one is not None), None)
            return None if held is None else [content.wire() for content in held]

        contents = await aside(read)
        if contents is None:
            number = INVALID_PARAMS if caller.client.is_modern else RESOURCE_NOT_FOUND
            raise RpcError(number, f"Resource not found: {uri}", {"uri": uri})
        return {"contents": contents}

    async def prompt(self, name: str, arguments: Wire, caller: Caller) -> Wire:
        """Return a prompt's messages.

        Raises:
            RpcError: there is no such prompt, or its arguments do not fit.
        """
        for shelf in self._prompts:
            found = shelf.get(name, arguments, caller)
            held = await found if isinstance(found, Awaitable) else found
            if held is not None:
                return held
        raise invalid(f"there is no prompt named {name!r}")

    async def complete(self, kind: str, where: str, name: str, value: str) -> Wire:
        """Return the values that an argument of a prompt or a template may go on to."""

        def complete() -> list[str]:
            shelves = self._prompts if kind == "ref/prompt" else self._shelves
            return [found for shelf in shelves for found in shelf.complete(where, name, value)]

        found = await aside(complete)
        shown = found[:_MOST_VALUES]
        return {"values": shown, "total": len(found), "hasMore": len(found) > len(shown)}
