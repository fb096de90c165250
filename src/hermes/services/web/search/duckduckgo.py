"""DuckDuckGo's page for browsers without scripts; it needs no key."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from hermes.base.errors import ToolError
from hermes.services.web.asking import Ask
from hermes.services.web.search.contract import Hit, Means, Query, Results, refused, today
from hermes.services.web.selecting import parse, select, text_of

NAME = "duckduckgo"
BASE = "https://html.duckduckgo.com"
KEYS = ()
_MOST_PAGES = 3
_WHY = {401: "it keeps programs out", 403: "it keeps programs out"}
_REFERER = ("referer", "https://html.duckduckgo.com/")


async def search(query: Query, means: Means) -> Results:
    """Return what DuckDuckGo finds, from as many of its pages as are needed."""
    asked = {"q": query.text, "b": "", "kl": "wt-wt"}
    if query.age:
        asked["df"] = query.age[0]
    elif query.since or query.until:
        asked["df"] = f"{query.since or '1970-01-01'}..{query.until or today()}"
    if query.safe is not None:
        asked["kp"] = "1" if query.safe else "-2"
    hits: list[Hit] = []
    for _ in range(_MOST_PAGES):
        tree = await _page(asked, means)
        found = [hit for each in select(tree, "div.result, div.web-result") if (hit := _hit(each))]
        known = {hit.url for hit in hits}
        new = [hit for hit in found if hit.url not in known]
        hits += new
        asked = _next(tree)
        if not new or not asked or len(hits) >= query.limit:
            break
    return Results(tuple(hits))


async def _page(asked: dict[str, str], means: Means) -> Any:
    headers = (("content-type", "application/x-www-form-urlencoded"), _REFERER)
    page = await means.send(Ask(f"{means.base}/html/", "POST", headers, urlencode(asked).encode()))
    if page.status not in (200, 202):
        raise refused(page, NAME, _WHY)
    tree = parse(page.text())
    if select(tree, ".anomaly-modal__title, #challenge-form") or page.status == 202:
        raise ToolError(
            f"{NAME} takes this machine for a robot and answers with a puzzle",
            code="search_failed",
        )
    if not select(tree, "#links, .results, .no-results, .result"):
        message = f"{NAME} answered with a page that is no list of results"
        raise ToolError(message, code="search_failed")
    return tree


def _hit(result: Any) -> Hit | None:
    if "result--ad" in (result.get("class") or ""):
        return None
    links = select(result, "a.result__a")
    if not links:
        return None
    address = _target(links[0].get("href") or "")
    if not address:
        return None
    snippets = select(result, ".result__snippet")
    dates = select(result, ".result__timestamp, .result__extras__url span")
    said = text_of(snippets[0]) if snippets else ""
    return Hit(text_of(links[0]), address, said, text_of(dates[-1]) if dates else "")


def _target(link: str) -> str:
    """Return where a result leads, behind the engine's own redirect; an advertisement nowhere."""
    parts = urlsplit(link)
    if parts.path.startswith("/y.js"):
        return ""
    if parts.path.startswith("/l/"):
        return parse_qs(parts.query).get("uddg", [""])[0]
    return link if parts.scheme in ("http", "https") else ""


def _next(tree: Any) -> dict[str, str]:
    """Return the form that leads to the next page, if there is one."""
    for form in select(tree, "div.nav-link form"):
        fields = {each.get("name"): each.get("value") or "" for each in select(form, "input")}
        if "s" in fields and "q" in fields:
            return {name: value for name, value in fields.items() if name}
    return {}
