"""Crawl a site: breadth first, politely, several pages at once, and go on where it was stopped."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from hermes.base.errors import Denied, HermesError
from hermes.services.web.addresses import fits, is_page, is_same_site, normal, outline, same_page
from hermes.services.web.asking import Ask, Caller, Page
from hermes.services.web.robots import Fetch, Manners, Robots
from hermes.services.web.sitemaps import addresses_of

_AT_ONCE = 10
_MOST_OPEN = 24
"""How many pages are held at once, those that wait to be kept among them."""
_MOST_BYTES = 10_000_000
_MOST_MAPPED = 10_000
_SHORT = 20_000


class Plan(NamedTuple):
    """How far a crawl goes."""

    url: str
    max_pages: int = 20
    max_depth: int = 2
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    seconds: float = 240.0


class Got(NamedTuple):
    """One page of a crawl."""

    url: str
    depth: int
    status: int
    page: Page | None = None
    error: str = ""
    title: str = ""
    links: tuple[str, ...] = ()


class State(NamedTuple):
    """Where a crawl stands, to go on from there."""

    waiting: tuple[tuple[str, int], ...]
    seen: frozenset[str]


Keep = Callable[[Got], Awaitable[Callable[[], None]]]
"""Makes a page ready to be kept, and returns what keeps it, from when on the state knows of it."""


class Crawl:
    """One crawl."""

    def __init__(
        self, plan: Plan, fetch: Fetch, caller: Caller, state: State | None = None
    ) -> None:
        self.plan = plan
        self._fetch = fetch
        self._caller = caller
        self._robots = Robots(fetch, caller)
        first = normal(plan.url)
        self._waiting: deque[tuple[str, int]] = deque(state.waiting if state else [(first, 0)])
        self._seen: set[str] = set(state.seen) if state else {same_page(first)}
        self._open: dict[str, int] = {}
        """The addresses, with their depths, that were begun and are not kept yet."""
        self._room = asyncio.Semaphore(_MOST_OPEN)
        self._next_at: dict[str, float] = {}
        self._count = 0
        self.skipped: dict[str, int] = {}
        """How many addresses were left out, by the reason."""
        self.is_out_of_time = False

    @property
    def state(self) -> State:
        """Where it stands; what is not kept is to be fetched again."""
        return State((*self._open.items(), *self._waiting), frozenset(self._seen))

    async def run(self, keep: Keep) -> None:
        """Fetch pages until there are no more, or as many as were wanted."""
        deadline = time.monotonic() + self.plan.seconds
        if not self.state.waiting or self._waiting[0][1] == 0:
            await self._map()
        found: asyncio.Queue[tuple[str, Got] | None] = asyncio.Queue()
        keeping = asyncio.ensure_future(self._keep(found, keep))
        running: dict[asyncio.Task[Got], str] = {}
        try:
            while (self._waiting or running) and not keeping.done():
                if self._caller.cancelled or time.monotonic() > deadline:
                    self.is_out_of_time = True
                    break
                self._start(running)
                if not running:
                    break
                either: list[asyncio.Future[Any]] = [*running, keeping]
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
                for task in [one for one in running if one.done()]:
                    got, url = task.result(), running.pop(task)
                    self._follow(got)
                    found.put_nowait((url, got))
            found.put_nowait(None)
            await keeping
        finally:
            left: list[asyncio.Future[Any]] = [*running, keeping]
            for each in left:
                each.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    async def _keep(self, found: asyncio.Queue[tuple[str, Got] | None], keep: Keep) -> None:
        """Keep one page after the other, while others are on their way."""
        while (each := await found.get()) is not None:
            url, got = each
            note = await keep(got)
            del self._open[url]
            self._room.release()
            note()
            self._caller.progress(f"{self._count} pages, {len(self._waiting)} waiting")

    def _start(self, running: dict[asyncio.Task[Got], str]) -> None:
        while self._waiting and len(running) < _AT_ONCE and self._count < self.plan.max_pages:
            url, depth = self._waiting.popleft()
            self._count += 1
            self._open[url] = depth
            running[asyncio.ensure_future(self._get(url, depth))] = url

    async def _get(self, url: str, depth: int) -> Got:
        await self._room.acquire()
        try:
            manners = await self._robots.of(url)
            if refusal := manners.refusal(url):
                self._skip("robots.txt")
                return Got(url, depth, 0, error=refusal)
            await self._pause(url, manners)
            page = await self._fetch(Ask(url, max_bytes=_MOST_BYTES), self._caller)
        except Denied as error:
            if depth == 0:
                raise
            return Got(url, depth, 0, error=error.message)
        except HermesError as error:
            return Got(url, depth, 0, error=error.message)
        if trouble := self._strayed(url, page.url, depth):
            return Got(url, depth, page.status, error=trouble)
        if "html" not in page.media_type:
            return Got(page.url, depth, page.status, page)
        text = page.text()
        is_short = len(text) < _SHORT  # then a thread would take longer than the work
        found = (
            outline(text, page.url)
            if is_short
            else await asyncio.to_thread(outline, text, page.url)
        )
        links = tuple(each.url for each in found.links if each.element in ("a", "area"))
        return Got(page.url, depth, page.status, page, title=found.title, links=links)

    def _strayed(self, url: str, there: str, depth: int) -> str:
        """Say why a page that was found elsewhere than asked is none of this crawl's."""
        if normal(there) == url:
            return ""
        if depth == 0:
            # where to begin has moved, and the site with it
            self.plan = self.plan._replace(url=there)
        elif reason := self._left_out(there):
            self._skip(reason)
            return f"it leads to {there}: {reason}"
        key = same_page(there)
        if key in self._seen and key != same_page(url):
            self._skip("found before")
            return f"it leads to {there}, which was found before"
        self._seen.add(key)
        return ""

    async def _pause(self, url: str, manners: Manners) -> None:
        """Wait for this request's turn, as far apart from the last as the site asks for."""
        if not manners.delay:
            return
        site = urlsplit(url).netloc
        at = max(time.monotonic(), self._next_at.get(site, 0.0))
        self._next_at[site] = at + manners.delay
        await asyncio.sleep(at - time.monotonic())

    def _follow(self, got: Got) -> None:
        if got.depth >= self.plan.max_depth:
            return
        for link in got.links:
            self._add(link, got.depth + 1)

    def _add(self, link: str, depth: int) -> None:
        try:
            url = normal(link)
        except ValueError:
            return
        key = same_page(url)
        if key in self._seen or not is_page(url):
            return
        self._seen.add(key)
        if reason := self._left_out(url):
            self._skip(reason)
        else:
            self._waiting.append((url, depth))

    def _left_out(self, url: str) -> str:
        """Say why an address is none of this crawl's; nothing if it is."""
        is_named = bool(self.plan.include) and fits(url, self.plan.include)
        if not is_named and not is_same_site(url, self.plan.url):
            return "another site"
        if self.plan.include and not is_named:
            return "not included"
        return "excluded" if fits(url, self.plan.exclude) else ""

    def _skip(self, reason: str) -> None:
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    async def _map(self) -> None:
        """Take along what the site's map names, behind the page that was asked for."""
        if self.plan.max_depth == 0:
            return
        try:
            manners = await self._robots.of(self.plan.url)
            root = f"{urlsplit(self.plan.url).scheme}://{urlsplit(self.plan.url).netloc}"
            maps = manners.sitemaps or (f"{root}/sitemap.xml",)
            found = await addresses_of(maps, self._fetch, self._caller, _MOST_MAPPED)
        except HermesError:
            return
        for url in found:
            self._add(url, 1)
