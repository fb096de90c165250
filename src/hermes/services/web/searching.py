"""Search the web for a call: engines, their keys and addresses, sent over the one service."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hermes.services.web import Ask, Caller, Page, Web
from hermes.services.web.asking import Opened
from hermes.services.web.search import Engines, search
from hermes.services.web.search.contract import Query


class Searching:
    """Search with the engines that a person configured."""

    def __init__(self, web: Web, engines: Engines, secret: Callable[[str], str]) -> None:
        self._web = web
        self.engines = engines
        self.secret = secret

    async def search(self, query: Query, caller: Caller, *, only: str = "") -> dict[str, Any]:
        """Return what is found.

        Raises:
            ToolError: nothing can be; says why.
        """
        configured = set(self.engines.bases.values())

        async def send(base: str, keys: frozenset[str], ask: Ask) -> Page:
            is_own = any(base == each.rstrip("/") for each in configured)
            return await self._web.fetch(ask, Opened(caller, base) if is_own else caller, keys)

        return await search(self.engines, query, send, self.secret, only=only)
