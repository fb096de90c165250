"""Judge the requests of a browser that runs elsewhere, where no proxy of ours stands before it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from playwright.async_api import Error

from hermes.base.errors import Unavailable
from hermes.policy.urls import UrlRules, judge

_HARMLESS = ("data:", "blob:", "about:")
_MOST_TOLD = 50


class Guard:
    """Judge every address that the pages of one context ask for, by the rules of its latest call.

    The driver shows each request but not where it is redirected to; that the browser itself is
    asked to show.
    """

    def __init__(self) -> None:
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

    def _is_open(self, url: str) -> bool:
        if url.startswith(_HARMLESS):
            return True
        verdicts = (judge(url, each) for each in self.rules)
        refusal = next((each for each in verdicts if each.decision != "allow"), None)
        if refusal is not None and len(self._refused) < _MOST_TOLD:
            self._refused.append(f"{url[:200]} {refusal.reason}")
        return refusal is None

    async def _check(self, route: Any) -> None:
        if self._is_open(route.request.url):
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
            if is_ours and not self._is_open(url):
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
