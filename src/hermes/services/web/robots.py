"""What a site asks robots not to fetch, and how slowly it wants to be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import urlsplit

from hermes.base.errors import Denied, ToolError
from hermes.services.web.asking import Ask, Caller, Page
from hermes.services.web.robots_text import NOTHING, Asked, asked

NAMES = ("hermes-tools", "hermes")
"""What sites may call us; the first is what we send."""
Fetch = Callable[[Ask, Caller], Awaitable[Page]]
_LONGEST_DELAY = 10.0
_MOST_BYTES = 500_000


class Manners(NamedTuple):
    """What one site asks for."""

    asked: Asked = Asked()
    trouble: str = ""
    """Why nobody can tell what it asks for, which means that it is left alone."""

    @property
    def delay(self) -> float:
        """How many seconds are to lie between two requests."""
        return min(self.asked.delay, _LONGEST_DELAY)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The maps that it names."""
        return self.asked.sitemaps

    def refusal(self, url: str) -> str:
        """Say why a robot must not fetch an address; nothing if it may."""
        if self.trouble:
            return self.trouble
        return "" if self.asked.allows(url) else "the site's robots.txt keeps robots out"


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
            return Manners()
        return manners(page)


def manners(page: Page) -> Manners:
    """Return what a robots.txt asks for.

    One that is kept from everybody allows nothing, and neither does one that fails: a service in
    trouble is left alone. Where there is none, everything is allowed.
    """
    if page.status >= 500:
        return Manners(NOTHING, f"the site's robots.txt answered {page.status}; try again later")
    if page.status in (401, 403):
        return Manners(NOTHING)
    return Manners(asked(page.text(), NAMES)) if page.is_ok else Manners()
