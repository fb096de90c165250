"""What a site asks robots not to fetch, and how slowly it wants to be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from hermes.base.errors import Denied, ToolError
from hermes.services.web.asking import Ask, Caller, Page

AGENT = "hermes"
Fetch = Callable[[Ask, Caller], Awaitable[Page]]
_LONGEST_DELAY = 10.0
_MOST_BYTES = 500_000


class Manners(NamedTuple):
    """What one site asks for."""

    rules: RobotFileParser | None
    delay: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Say whether the site lets robots fetch an address."""
        return self.rules is None or self.rules.can_fetch(AGENT, url)


class Robots:
    """Ask each site once what it allows."""

    def __init__(self, fetch: Fetch, caller: Caller) -> None:
        self._fetch = fetch
        self._caller = caller
        self._sites: dict[str, asyncio.Task[Manners]] = {}

    async def of(self, url: str) -> Manners:
        """Return the manners of the site that an address is on."""
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        task = self._sites.get(site)
        if task is None:
            task = self._sites[site] = asyncio.ensure_future(self._asked(site))
        return await task

    async def _asked(self, site: str) -> Manners:
        try:
            page = await self._fetch(
                Ask(f"{site}/robots.txt", seconds=10, max_bytes=_MOST_BYTES, attempts=1),
                self._caller,
            )
        except Denied:
            raise
        except ToolError:
            return Manners(None)
        return manners(page)


def manners(page: Page) -> Manners:
    """Return what a robots.txt asks for; one that is kept from everybody allows nothing."""
    rules = RobotFileParser()
    if page.status in (401, 403):
        rules.parse(["User-agent: *", "Disallow: /"])
        return Manners(rules)
    if not page.is_ok:
        return Manners(None)
    rules.parse(page.text().splitlines())
    wait = rules.crawl_delay(AGENT)
    delay = min(float(wait), _LONGEST_DELAY) if wait else 0.0
    return Manners(rules, delay, tuple(rules.site_maps() or ()))
