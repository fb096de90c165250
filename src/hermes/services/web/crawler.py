"""Crawl for a call: pages read, kept on disk and told as a table."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hermes.base.optional import load
from hermes.services.web import Web
from hermes.services.web.asking import Caller
from hermes.services.web.crawl_store import CrawlStore
from hermes.services.web.crawling import Crawl, Got, Plan
from hermes.services.web.excerpts import excerpt, words_of

_SAVE_EVERY = 10
_SNIPPET = 300


class Crawler:
    """Crawl sites and keep what was found below one folder."""

    def __init__(self, web: Web, folder: Path) -> None:
        self._web = web
        self._folder = folder

    async def crawl(
        self, plan: Plan, caller: Caller, *, about: str = "", resume: str = ""
    ) -> dict[str, Any]:
        """Return a table of the pages that were found, and where they are kept.

        Raises:
            ToolError: the first page cannot be had.
        """
        if resume:
            store, known, state = CrawlStore.known(self._folder, resume)
            plan = known._replace(max_pages=plan.max_pages)
            crawl = Crawl(plan, self._web.fetch, caller, state)
        else:
            store = CrawlStore.new(self._folder, urlsplit(plan.url).hostname or "site")
            crawl = Crawl(plan, self._web.fetch, caller)
        before = len(store.rows)

        def note(row: dict[str, Any], text: str) -> None:
            store.add(row, text)
            if len(store.rows) % _SAVE_EVERY == 0:
                store.save(crawl.plan, crawl.state)

        async def keep(got: Got) -> Callable[[], None]:
            row, text = await asyncio.to_thread(_row, got, about)
            return functools.partial(note, row, text)

        # whoever is killed before there is much to keep can go on as well
        await asyncio.to_thread(store.save, crawl.plan, crawl.state)
        caller.progress(f"crawl {store.folder.name}")
        try:
            await crawl.run(keep)
        finally:
            await asyncio.to_thread(store.save, crawl.plan, crawl.state)
        return _told(store, crawl, before, about)


def _row(got: Got, about: str) -> tuple[dict[str, Any], str]:
    row: dict[str, Any] = {"url": got.url, "depth": got.depth, "status": got.status}
    if got.error or got.page is None:
        return row | {"error": got.error}, ""
    if "html" not in got.page.media_type:
        return row | {"type": got.page.media_type, "bytes": len(got.page.body)}, ""
    articles = load("hermes.services.web.extract.articles", extra="web")
    found = articles.read(got.page.text(), got.url)
    row |= {"title": found.title or got.title, "chars": len(found.text), "links": len(got.links)}
    if about:
        wanted = set(words_of(about))
        row["fits"] = round(len(wanted.intersection(words_of(found.text))) / (len(wanted) or 1), 2)
        if best := excerpt(found.text, about, _SNIPPET):
            row["excerpt"] = best
    return row, f"# {row['title']}\n\n<{got.url}>\n\n{found.text}\n"


def _told(store: CrawlStore, crawl: Crawl, before: int, about: str) -> dict[str, Any]:
    rows = store.rows[before:]
    if about:
        rows = sorted(rows, key=lambda row: -row.get("fits", 0))
    waiting = len(crawl.state.waiting)
    answer: dict[str, Any] = {
        "pages": rows,
        "count": len(rows),
        "failed": sum("error" in row for row in rows),
        "folder": str(store.folder),
        "crawl_id": store.folder.name,
        "waiting": waiting,
    }
    if crawl.skipped:
        answer["left_out"] = crawl.skipped
    if crawl.is_out_of_time:
        answer["note"] = "Its time was up."
    if waiting:
        answer["next"] = f"Call again with resume={store.folder.name!r} to go on."
    return answer
