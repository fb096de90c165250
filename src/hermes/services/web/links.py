"""Check links: of a site, a file or a list, several at once, with redirects and anchors."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import unquote

from hermes.base.errors import Denied, HermesError, TimedOut
from hermes.services.web.addresses import Found, Outline, is_same_site, normal, outline
from hermes.services.web.asking import Ask, Caller, Page
from hermes.services.web.robots import Fetch

_MOST_BYTES = 5_000_000
_MOST_LINKS = 5_000
_NO_HEAD = frozenset({400, 403, 404, 405, 500, 501, 503})


class Checked(NamedTuple):
    """What became of one link."""

    url: str
    found_on: str
    text: str
    state: str
    """ok, redirected, broken, no anchor, refused, timeout or skipped."""
    status: int = 0
    detail: str = ""


class Scope(NamedTuple):
    """How far checking goes."""

    depth: int = 1
    concurrency: int = 10
    includes_external: bool = True


class LinkCheck:
    """One check of many links; each address is asked for once."""

    def __init__(self, scope: Scope, fetch: Fetch, caller: Caller) -> None:
        self._scope = scope
        self._fetch = fetch
        self._caller = caller
        self._room = asyncio.Semaphore(scope.concurrency)
        self._known: dict[str, asyncio.Task[tuple[Page | None, Outline | None, str]]] = {}
        self.checked: list[Checked] = []

    async def site(self, url: str) -> None:
        """Check every link of a page and, as deep as wanted, of the pages of its site."""
        level, seen = [normal(url)], {normal(url)}
        for depth in range(self._scope.depth + 1):
            outlines = await asyncio.gather(*(self._page(page) for page in level))
            following: list[str] = []
            for page, found in zip(level, outlines, strict=True):
                if found is None:
                    if depth == 0:
                        self.checked.append(await self._one(Found(page), ""))
                    continue
                await self.links(found.links, page)
                inner = [normal(each.url.partition("#")[0]) for each in found.links
                         if each.element == "a" and is_same_site(each.url, url)]  # fmt: skip
                following += [each for each in dict.fromkeys(inner) if each not in seen]
                seen.update(inner)
            level = following
            if not level or depth == self._scope.depth - 1 or self._scope.depth == 0:
                break

    async def links(self, links: Iterable[Found], page: str) -> None:
        """Check links that stand on a page."""
        fresh = list(dict.fromkeys(links))[: _MOST_LINKS - len(self.checked)]
        if not self._scope.includes_external and page:
            fresh = [each for each in fresh if is_same_site(each.url, page)]
        self.checked += await asyncio.gather(*(self._one(each, page) for each in fresh))
        self._caller.progress(f"{len(self.checked)} links checked")

    async def _page(self, url: str) -> Outline | None:
        return (await self._asked(url, needs_body=True))[1]

    async def _one(self, link: Found, page: str) -> Checked:
        there, _, anchor = link.url.partition("#")
        needs_body = bool(anchor) and link.element == "a" and not anchor.startswith(("!", ":~:"))
        answer, found, trouble = await self._asked(there, needs_body=needs_body)
        make = Checked(link.url, page, link.text, "ok")
        if answer is None:
            state, _, detail = trouble.partition(": ")
            return make._replace(state=state, detail=detail)
        make = make._replace(status=answer.status)
        if not answer.is_ok:
            return make._replace(state="broken", detail=answer.reason)
        is_there = found is None or unquote(anchor) in found.anchors or anchor.lower() == "top"
        if needs_body and not is_there:
            return make._replace(state="no anchor", detail=f"there is no #{anchor} on the page")
        if answer.redirects:
            return make._replace(state="redirected", detail=answer.url)
        return make

    async def _asked(
        self, url: str, *, needs_body: bool
    ) -> tuple[Page | None, Outline | None, str]:
        key = f"{'GET' if needs_body else 'HEAD'} {url}"
        full = f"GET {url}"
        task = self._known.get(full) or self._known.get(key)
        if task is None:
            task = asyncio.ensure_future(self._ask(url, needs_body=needs_body))
            self._known[key] = task
        return await task

    async def _ask(self, url: str, *, needs_body: bool) -> tuple[Page | None, Outline | None, str]:
        ask = Ask(url, "GET" if needs_body else "HEAD", seconds=20, max_bytes=_MOST_BYTES,
                  attempts=2)  # fmt: skip
        try:
            async with self._room:
                page = await self._fetch(ask, self._caller)
                if not needs_body and page.status in _NO_HEAD:
                    page = await self._fetch(ask._replace(method="GET"), self._caller)
        except Denied as error:
            return None, None, f"refused: {error.message}"
        except TimedOut as error:
            return None, None, f"timeout: {error.message}"
        except HermesError as error:
            return None, None, f"broken: {error.message}"
        if not needs_body or "html" not in page.media_type or not page.is_ok:
            return page, None, ""
        return page, await asyncio.to_thread(outline, page.text(), page.url), ""


def told(checked: list[Checked]) -> dict[str, Any]:
    """Return a report: how many of each kind, and every link that is not in order."""
    counts: dict[str, int] = {}
    for each in checked:
        counts[each.state] = counts.get(each.state, 0) + 1
    bad = [each for each in checked if each.state not in ("ok", "redirected", "skipped")]
    moved = [each for each in checked if each.state == "redirected"]
    answer: dict[str, Any] = {"checked": len(checked), "counts": counts}
    answer["broken"] = [_row(each) for each in bad]
    if moved:
        answer["redirected"] = [_row(each) for each in moved]
    return answer


def _row(each: Checked) -> dict[str, Any]:
    return {name: value for name, value in each._asdict().items() if value}
