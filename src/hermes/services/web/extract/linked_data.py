"""What a page says about itself to machines: its meta elements and JSON-LD."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from hermes.base.json import NotJson, decode

_ARTICLES = ("Article", "NewsArticle", "BlogPosting", "Report", "TechArticle", "WebPage",
             "ScholarlyArticle", "ReportageNewsArticle", "LiveBlogPosting")  # fmt: skip
_MOST = 50


class Said(NamedTuple):
    """What a page says about itself."""

    title: str = ""
    author: str = ""
    date: str = ""
    site: str = ""
    summary: str = ""


def said_of(tree: Any) -> Said:
    """Return what a page says about itself, JSON-LD before its meta elements."""
    metas = _metas(tree)
    article = next(
        (each for each in _things(tree) if _kind(each) in _ARTICLES and "headline" in each), {}
    )
    return Said(
        title=_text(article.get("headline")) or _first(metas, "og:title", "twitter:title"),
        author=_names(article.get("author")) or _first(metas, "author", "article:author",
                                                       "parsely-author", "dc.creator"),
        date=(_text(article.get("datePublished")) or _first(
            metas, "article:published_time", "date", "dc.date", "pubdate", "publish-date"))[:10],
        site=_names(article.get("publisher")) or _first(metas, "og:site_name"),
        summary=_text(article.get("description")) or _first(
            metas, "description", "og:description", "twitter:description"),
    )  # fmt: skip


def _metas(tree: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in tree.iter("meta"):
        name = (each.get("property") or each.get("name") or each.get("itemprop") or "").lower()
        content = " ".join((each.get("content") or "").split())
        if name and content:
            found.setdefault(name, content)
    return found


def _first(metas: dict[str, str], *names: str) -> str:
    found = next((metas[name] for name in names if name in metas), "")
    return "" if found.startswith(("http://", "https://")) else found


def _things(tree: Any) -> Iterator[dict[str, Any]]:
    for script in tree.iter("script"):
        if (script.get("type") or "").lower() != "application/ld+json" or not script.text:
            continue
        try:
            waiting: list[Any] = [decode(script.text.strip())]
        except NotJson:
            continue
        for _ in range(_MOST):
            if not waiting:
                break
            each = waiting.pop(0)
            if isinstance(each, list):
                waiting = [*each, *waiting]
            elif isinstance(each, dict):
                yield each
                waiting += [each[key] for key in ("@graph", "mainEntity") if key in each]


def _kind(thing: dict[str, Any]) -> str:
    kind = thing.get("@type")
    kinds = kind if isinstance(kind, list) else [kind]
    return next((each for each in kinds if each in _ARTICLES), "")


def _names(value: Any) -> str:
    values = value if isinstance(value, list) else [value]
    names = [_text(each.get("name")) if isinstance(each, dict) else _text(each) for each in values]
    return ", ".join(dict.fromkeys(name for name in names if name and "://" not in name))


def _text(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
