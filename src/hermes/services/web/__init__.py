"""The web for tools: pages asked for politely, safely and once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from http.cookiejar import CookieJar

from hermes.base.client_pool import ClientPool
from hermes.base.errors import Denied
from hermes.base.optional import load
from hermes.base.resolving import Resolve, resolved
from hermes.policy.urls import UrlRules
from hermes.services.web.asking import Ask, Caller, Page
from hermes.services.web.caching import Cache

__all__ = ["Ask", "Caller", "Page", "Web"]


class Web:
    """Ask for pages; each task has cookies of its own and what was answered to it."""

    def __init__(
        self,
        own: Callable[[], frozenset[str]] = frozenset,
        *,
        resolve: Resolve = resolved,
        leak: Callable[[str], Collection[str]] = lambda _: (),
        most_cached: int = 64_000_000,
    ) -> None:
        self._own = own
        self._resolve = resolve
        self._leak = leak
        """Names the secrets that a text holds."""
        self._pools: dict[object, ClientPool] = {}
        self._jars: dict[str, CookieJar] = {}
        self.cache = Cache(most_cached)

    async def fetch(self, ask: Ask, caller: Caller, credentials: Collection[str] = ()) -> Page:
        """Return what answers a request, from the cache where that still holds.

        ``credentials`` are the names of the secrets that are meant for the service.

        Raises:
            Denied: a rule is against it, or it would give a secret away.
            ToolError: there is no answer; says why.
        """
        self._check_leaks(ask, credentials)
        may_cache = self.cache.may_answer(ask)
        rules = caller.check_url(ask.url)
        kept = self.cache.find(caller.task_id, ask) if may_cache else None
        if kept is not None and self.cache.is_fresh(kept):
            return kept.page._replace(is_cached=True)
        asked = ask._replace(headers=(*ask.headers, *kept.validators())) if kept else ask
        page = await self._exchanged(asked, caller, rules)
        self.cache.heed(caller.task_id, ask, page)
        if kept is not None and page.status == 304:
            renewed = self.cache.renew(caller.task_id, ask, kept, page.headers)
            return renewed._replace(is_cached=True)
        if may_cache and not page.redirects:
            self.cache.keep(caller.task_id, ask, page)
        return page

    async def _exchanged(self, ask: Ask, caller: Caller, rules: tuple[UrlRules, ...]) -> Page:
        sending = load("hermes.services.web.exchange")
        # a connection that one set of rules allowed must not serve another
        pool = self._pools.get(rules) or self._pools.setdefault(rules, ClientPool())
        client = pool.client(asyncio.get_running_loop(), sending.make_client)
        jar = self._jars.get(caller.task_id) or self._jars.setdefault(caller.task_id, CookieJar())
        line = sending.Line(client, caller, jar, self._own, self._resolve, rules)
        page: Page = await sending.exchange(line, ask)
        return page

    def _check_leaks(self, ask: Ask, credentials: Collection[str]) -> None:
        texts = [ask.url, *(part for pair in ask.headers for part in pair)]
        if ask.content is not None:
            texts.append(ask.content.decode("utf-8", "replace"))
        self.keep_secrets(*texts, but=credentials)

    def keep_secrets(self, *texts: str, but: Collection[str] = ()) -> None:
        """Refuse to let texts out that hold a secret of this machine.

        Raises:
            Denied: one does; says which.
        """
        for text in texts:
            for name in self._leak(text):
                if name in but:
                    continue
                raise Denied(
                    f"the request holds the value of {name}, a secret of this machine",
                    hint="Leave it out; a tool that declares this credential may send it.",
                    rule="secrets",
                )

    def forget(self, task_id: str) -> None:
        """Let go of a task's cookies and of what was answered to it."""
        self._jars.pop(task_id, None)
        self.cache.forget(task_id)

    async def aclose(self) -> None:
        """Close the connections of the running loop and wait for it, then all others."""
        for pool in self._pools.values():
            await pool.aclose(asyncio.get_running_loop())

    def close(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            pool.close()
