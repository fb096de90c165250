"""Judge the requests of a browser that runs elsewhere, where no proxy of ours stands before it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Error

from hermes.base.errors import Denied, Unavailable
from hermes.base.resolving import Resolve, resolved
from hermes.policy.urls import UrlRules, admit, judge

_HARMLESS = ("data:", "blob:", "about:")
_PORTS = {"http": 80, "ws": 80}
_MOST_TOLD = 50
_MOST_KNOWN = 1_000
_KNOWN_SECONDS = 30.0


class Guard:
    """Judge every address that the pages of one context ask for, by the rules of its latest call.

    The driver shows each request but not where it is redirected to; that the browser itself is
    asked to show. What a host's name leads to is asked here and judged too, which keeps out names
    that lead to closed places; the browser dials by an answer of its own.
    """

    def __init__(self, own: Callable[[], frozenset[str]], resolve: Resolve = resolved) -> None:
        self._own_addresses = own
        self._resolve = resolve
        self._known: dict[tuple[str, int], tuple[float, tuple[str, ...]]] = {}
        self.rules: tuple[UrlRules, ...] = (UrlRules(),)
        self._refused: list[str] = []
        self._line: Any = None
        self._own = ""
        self._working: set[asyncio.Future[None]] = set()

    async def watch(self, context: Any) -> None:
        """Begin to judge what the pages of a context ask for.

        Raises:
            Unavailable: the browser does not let its requests be judged.
        """
        try:
            self._own = await _id_of(context)
            await context.route("**/*", self._check)
            self._line = await context.browser.new_browser_cdp_session()
            self._line.on("Fetch.requestPaused", self._on_paused)
            await self._line.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        except Error as error:
            raise Unavailable(
                "the browser does not let its requests be judged, so it is not used",
                hint="Use a browser on this machine, or another service.",
            ) from error

    def refused(self) -> tuple[str, ...]:
        """Return what pages were kept from since this was asked last."""
        told, self._refused = tuple(self._refused), []
        return told

    def unreached(self) -> dict[str, str]:
        """Return why hosts could not be reached, which the browser itself says."""
        return {}

    async def close(self) -> None:
        """Stop judging."""
        for each in self._working:
            each.cancel()
        if self._line is not None:
            with contextlib.suppress(Error):
                await self._line.detach()

    async def _is_open(self, url: str) -> bool:
        if url.startswith(_HARMLESS):
            return True
        verdicts = (judge(url, each) for each in self.rules)
        reason = next((each.reason for each in verdicts if each.decision != "allow"), "")
        reason = reason or await self._leads_into(url)
        if reason and len(self._refused) < _MOST_TOLD:
            self._refused.append(f"{url[:200]} {reason}")
        return not reason

    async def _leads_into(self, url: str) -> str:
        """Return why a host may not be reached by one of its addresses; nothing when it may."""
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 443)
        try:
            for address in await self._addresses(host, port):
                for rules in self.rules:
                    admit(host, port, (address,), rules, self._own_addresses())
        except Denied as denied:
            return denied.message
        except OSError:  # only the browser knows such a host, if anybody does
            return ""
        return ""

    async def _addresses(self, host: str, port: int) -> tuple[str, ...]:
        now = time.monotonic()
        asked, known = self._known.get((host, port), (-_KNOWN_SECONDS, ()))
        if now - asked >= _KNOWN_SECONDS:
            known = tuple(await self._resolve(host, port))
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[host, port] = (now, known)
        return known

    async def _check(self, route: Any) -> None:
        if await self._is_open(route.request.url):
            await route.continue_()
        else:
            await route.abort("blockedbyclient")

    def _on_paused(self, event: dict[str, Any]) -> None:
        working = asyncio.ensure_future(self._go_on(event))
        self._working.add(working)
        working.add_done_callback(self._working.discard)

    async def _go_on(self, event: dict[str, Any]) -> None:
        """Let a request go on, unless it is a redirect of our own pages into a closed place."""
        which = {"requestId": event["requestId"]}
        url = event["request"]["url"]
        with contextlib.suppress(Error):  # the page may be gone
            is_ours = "redirectedRequestId" in event and await self._is_ours(event.get("frameId"))
            if is_ours and not await self._is_open(url):
                blocked = {**which, "errorReason": "BlockedByClient"}
                await self._line.send("Fetch.failRequest", blocked)
            else:
                await self._line.send("Fetch.continueRequest", which)

    async def _is_ours(self, frame: str | None) -> bool:
        """Say whether a frame may belong to the context: no other one is known to have it."""
        found = await self._line.send("Target.getTargets")
        owner = {each["targetId"]: each.get("browserContextId") for each in found["targetInfos"]}
        return owner.get(frame) in (None, self._own)


async def _id_of(context: Any) -> str:
    """Return what the browser calls a context; a first page is opened, for only pages know it."""
    page = context.pages[0] if context.pages else await context.new_page()
    line = await context.new_cdp_session(page)
    told = await line.send("Target.getTargetInfo")
    await line.detach()
    return str(told["targetInfo"].get("browserContextId", ""))
