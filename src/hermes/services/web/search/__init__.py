"""Search the web: engines asked in order until one answers, their findings in one form."""

from __future__ import annotations

import datetime
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from hermes.base.errors import Denied, InvalidArguments, ToolError, Unavailable
from hermes.base.optional import load
from hermes.base.text import did_you_mean
from hermes.services.web.asking import Ask, Page
from hermes.services.web.search.contract import Hit, Means, Query
from hermes.services.web.search.days import day_of

PROVIDERS = ("searxng", "duckduckgo", "brave", "tavily", "exa", "serper", "google", "firecrawl")
_TRACKING = ("utm_", "fbclid", "gclid", "msclkid", "mc_cid", "mc_eid", "ref_src", "igshid")


class Engines(NamedTuple):
    """Which engines there are, in the order in which they are asked, and where they are."""

    order: tuple[str, ...] = PROVIDERS
    bases: Mapping[str, str] = {}
    """Addresses that a person configured, by engine."""


Send = Callable[[str, frozenset[str], Ask], Awaitable[Page]]
"""Sends a request to the base of an engine; the names are of the keys that may go along."""


async def search(
    engines: Engines, query: Query, send: Send, secret: Callable[[str], str], *, only: str = ""
) -> dict[str, Any]:
    """Return what the first engine that answers found.

    Raises:
        ToolError: none did; says what each said.
    """
    troubles: list[str] = []
    for name in _chosen(engines, only):
        provider = _provider(name)
        base = (engines.bases.get(name) or provider.BASE).rstrip("/")
        if lack := _lack(provider, base, secret):
            if only:
                raise Unavailable(
                    f"{name} cannot be asked: {lack}", hint="Leave search_engine out."
                )
            continue
        means = Means(_sending(send, base, provider.KEYS), secret, base)
        try:
            results = await provider.search(query, means)
        except Denied:
            raise
        except ToolError as error:
            troubles.append(error.message)
            continue
        if results.hits or name == _chosen(engines, only)[-1] or only:
            return _answer(name, query, results.hits, results.unsupported, troubles)
        troubles.append(f"{name} found nothing")
    if troubles and all(each.endswith("found nothing") for each in troubles):
        return _answer("", query, (), (), troubles)
    raise ToolError(
        "no search engine answered: " + "; ".join(troubles or ["none is configured"]),
        code="search_failed",
        hint="Try again later or with other words. A person can add an engine: a SearXNG "
        "address in web.searxng_url, or a key for Brave, Tavily, Exa, Serper or Google.",
    )


def ready(engines: Engines, secret: Callable[[str], str]) -> list[tuple[str, str]]:
    """Return every engine with what it lacks; nothing when it can be asked."""
    found = []
    for name in _chosen(engines, ""):
        provider = _provider(name)
        found.append((name, _lack(provider, engines.bases.get(name) or provider.BASE, secret)))
    return found


def _chosen(engines: Engines, only: str) -> Sequence[str]:
    if not only or only == "auto":
        return engines.order
    name = only.lower().replace("-", "").replace(" ", "")
    name = {"ddg": "duckduckgo", "searx": "searxng", "googlecse": "google"}.get(name, name)
    if name not in PROVIDERS:
        raise InvalidArguments(
            f"there is no search engine {only!r}",
            hint=did_you_mean(name, PROVIDERS) or f"There are: {', '.join(PROVIDERS)}.",
        )
    return (name,)


def _provider(name: str) -> ModuleType:
    return load(f"{__name__}.{name}", extra="web")


def _lack(provider: ModuleType, base: str, secret: Callable[[str], str]) -> str:
    if not base:
        return f"web.{provider.NAME}_url is not set"
    missing = [name for name in provider.KEYS if not secret(name)]
    return f"{' and '.join(missing)} is not set" if missing else ""


def _sending(send: Send, base: str, keys: tuple[str, ...]) -> Callable[[Ask], Awaitable[Page]]:
    async def sent(ask: Ask) -> Page:
        return await send(base, frozenset(keys), ask._replace(may_cache=False, has_cookies=False))

    return sent


def _answer(
    name: str,
    query: Query,
    hits: Sequence[Hit],
    unsupported: Sequence[str],
    troubles: Sequence[str],
) -> dict[str, Any]:
    now = datetime.datetime.now(datetime.UTC).date()
    merged = [hit._replace(date=day_of(hit.date, now)) for hit in merge(hits)[: query.limit]]
    answer: dict[str, Any] = {
        "query": query.text,
        "engine": name,
        "results": [
            {key: value for key, value in hit._asdict().items() if value not in ("", None)}
            for hit in merged
        ],
    }
    if unsupported:
        answer["unsupported"] = list(unsupported)
    if troubles:
        answer["tried"] = list(troubles)
    if not merged:
        answer["note"] = "Nothing was found; try other words."
    return answer


def merge(hits: Sequence[Hit]) -> list[Hit]:
    """Return hits without those that lead to the same page, the best words of each kept."""
    found: dict[str, Hit] = {}
    for hit in hits:
        try:
            key = same_page(hit.url) if urlsplit(hit.url).scheme in ("http", "https") else ""
        except ValueError:
            key = ""
        if not key:
            continue
        known = found.get(key)
        if known is None:
            found[key] = hit
        else:
            longer = max(known.snippet, hit.snippet, key=len)
            found[key] = known._replace(snippet=longer, date=known.date or hit.date)
    return list(found.values())


def same_page(url: str) -> str:
    """Return an address in the form in which two spellings of one page are equal."""
    parts = urlsplit(url)
    pairs = [pair for pair in parse_qsl(parts.query, keep_blank_values=True)
             if not pair[0].lower().startswith(_TRACKING)]  # fmt: skip
    host = (parts.hostname or "").removeprefix("www.")
    port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
    path = parts.path.rstrip("/") or "/"
    return f"{host}{port}{path}?{urlencode(sorted(pairs))}"
