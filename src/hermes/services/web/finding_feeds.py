"""Find the feed at an address: the address itself, or the one that its page names."""

from __future__ import annotations

import asyncio
from urllib.parse import urljoin

from hermes.services.web import Ask, Caller, Page, Web
from hermes.services.web.feeds import Feed, is_feed, read
from hermes.services.web.pages import check
from hermes.services.web.selecting import parse, select

_ACCEPT = "application/rss+xml, application/atom+xml, application/feed+json, application/xml, */*"
_NAMED = ", ".join(
    f'link[rel~="alternate"][type="application/{kind}"]'
    for kind in ("rss+xml", "atom+xml", "feed+json", "rdf+xml")
)


async def feed_at(web: Web, url: str, caller: Caller) -> Feed:
    """Return the feed at an address.

    Raises:
        ToolError: there is none.
    """
    page = await _got(web, url, caller)
    if not is_feed(page) and "html" in page.media_type:
        named = await asyncio.to_thread(_named, page)
        if named:
            page = await _got(web, named, caller)
    return await asyncio.to_thread(read, page)


async def _got(web: Web, url: str, caller: Caller) -> Page:
    page = await web.fetch(Ask(url, headers=(("accept", _ACCEPT),)), caller)
    check(page)
    return page


def _named(page: Page) -> str:
    found = select(parse(page.text()), _NAMED)
    return urljoin(page.url, found[0].get("href") or "") if found else ""
