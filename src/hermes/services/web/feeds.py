"""Feeds: RSS, Atom and JSON Feed in one form."""

from __future__ import annotations

import calendar
import datetime
import re
import time
from collections.abc import Mapping
from html import unescape
from typing import Any, NamedTuple

import feedparser

from hermes.base.errors import InvalidArguments, ToolError
from hermes.base.json import NotJson, decode
from hermes.services.web.asking import Page
from hermes.services.web.charsets import text_of

_TAG = re.compile(r"<[^>]{0,2000}>")
_SUMMARY_CHARS = 500
_AGO = re.compile(r"(\d+)\s*([hdwm])[a-z]*(?:\s+ago)?")
_LAST = float("inf")
_HOURS = {"h": 1, "d": 24, "w": 168, "m": 720}


class Entry(NamedTuple):
    """One entry of a feed."""

    title: str
    url: str
    published: str = ""
    """In ISO form, in UTC where the feed says."""
    author: str = ""
    summary: str = ""
    id: str = ""
    tags: tuple[str, ...] = ()
    enclosures: tuple[str, ...] = ()
    stamp: float | None = None


class Feed(NamedTuple):
    """A feed with its entries, as it orders them."""

    title: str
    url: str
    entries: tuple[Entry, ...]
    description: str = ""
    kind: str = ""


def is_feed(page: Page) -> bool:
    """Say whether a page is a feed, by its type or its first words."""
    kind = page.media_type
    if kind in ("application/rss+xml", "application/atom+xml", "application/rdf+xml",
                "application/feed+json"):  # fmt: skip
        return True
    head = page.body[:2_000].lstrip()
    if kind.endswith("json"):
        return b"jsonfeed.org/version" in head
    is_xml = "xml" in kind or head.startswith(b"<?xml") or kind in ("", "text/plain")
    return is_xml and bool(re.search(rb"<(?:rss|feed|rdf:RDF)[\s>]", head))


def read(page: Page) -> Feed:
    """Return the feed that a page is.

    Raises:
        ToolError: it is none.
    """
    if page.media_type.endswith("json") or page.body[:1] == b"{":
        return _from_json(page)
    found = feedparser.parse(
        page.body,
        response_headers={"content-type": page.header("content-type") or "application/xml",
                          "content-location": page.url},
        sanitize_html=True, resolve_relative_uris=True,
    )  # fmt: skip
    if not found.get("version") and not found.entries:
        raise ToolError(
            f"{page.url} is no feed", code="no_feed",
            hint="Give the address of an RSS, Atom or JSON feed; web_extract reads pages.",
        )  # fmt: skip
    about = found.feed
    return Feed(
        _plain(about.get("title", "")),
        str(about.get("link", "") or page.url),
        tuple(_entry(each) for each in found.entries),
        _plain(about.get("subtitle", "") or about.get("description", ""))[:_SUMMARY_CHARS],
        str(found.get("version", "")),
    )


def _entry(each: dict[str, Any]) -> Entry:
    # as a plain mapping: the library's own takes one of them for the other, and warns of it
    moments = (dict.get(each, f"{name}_parsed") for name in ("published", "updated", "created"))
    stamp = _stamp(next(filter(None, moments), None))
    contents = each.get("content") or []
    body = each.get("summary", "") or (contents[0].get("value", "") if contents else "")
    links = each.get("enclosures") or []
    return Entry(
        _plain(each.get("title", "")),
        str(each.get("link", "") or (links[0].get("href", "") if links else "")),
        _iso(stamp) if stamp is not None else str(each.get("published", "")),
        _plain(each.get("author", "")),
        _plain(body)[:_SUMMARY_CHARS],
        str(each.get("id", "")),
        tuple(str(tag.get("term")) for tag in each.get("tags") or () if tag.get("term")),
        tuple(str(link.get("href")) for link in links if link.get("href")),
        stamp,
    )


def _stamp(moment: time.struct_time | None) -> float | None:
    try:
        return float(calendar.timegm(moment)) if moment else None
    except (ValueError, OverflowError, TypeError):
        return None


def _from_json(page: Page) -> Feed:
    try:
        found = decode(text_of(page.body, page.header("content-type")))
    except NotJson:
        found = None
    items = found.get("items") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(items, list):
        raise ToolError(f"{page.url} is no feed", code="no_feed", hint="It is JSON without items.")
    return Feed(
        str(found.get("title", "")),
        str(found.get("home_page_url") or page.url),
        tuple(_json_entry(each) for each in items if isinstance(each, dict)),
        str(found.get("description", ""))[:_SUMMARY_CHARS],
        "json",
    )


def _json_entry(each: Mapping[str, Any]) -> Entry:
    published = str(each.get("date_published") or each.get("date_modified") or "")
    stamp = _iso_stamp(published)
    authors = each.get("authors") or [each.get("author") or {}]
    body = each.get("summary") or each.get("content_text") or _plain(each.get("content_html", ""))
    links = [each.get("url"), each.get("external_url")]
    attached = each.get("attachments") or ()
    return Entry(
        str(each.get("title") or ""),
        str(next((link for link in links if link), "")),
        _iso(stamp) if stamp is not None else published,
        ", ".join(str(a.get("name")) for a in authors if isinstance(a, dict) and a.get("name")),
        str(body or "")[:_SUMMARY_CHARS],
        str(each.get("id", "")),
        tuple(str(tag) for tag in each.get("tags") or ()),
        tuple(str(a["url"]) for a in attached if isinstance(a, dict) and "url" in a),
        stamp,
    )  # fmt: skip


def since_of(text: str | None, now: float) -> float | None:
    """Return the moment that words like ``7d``, ``2 weeks ago`` or a date stand for.

    Raises:
        InvalidArguments: nobody can tell which moment is meant.
    """
    given = (text or "").strip().lower()
    if not given:
        return None
    if ago := _AGO.fullmatch(given):
        return now - int(ago[1]) * _HOURS[ago[2]] * 3_600
    stamp = _iso_stamp(given.upper())
    if stamp is None:
        raise InvalidArguments(
            f"{text!r} is no moment", hint="Write a date like 2024-05-01, or 24h, 7d, 2w."
        )
    return stamp


def _iso_stamp(text: str) -> float | None:
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)).timestamp()


def _iso(stamp: float) -> str:
    try:
        return datetime.datetime.fromtimestamp(stamp, datetime.UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _plain(html: Any) -> str:
    return " ".join(unescape(_TAG.sub(" ", str(html))).split())


def told(feed: Feed, limit: int, since: float | None) -> dict[str, Any]:
    """Return a feed as an answer: its newest entries, those since a moment."""
    chosen = [each for each in feed.entries if since is None or (each.stamp or 0.0) >= since]
    # without any date, the order of the feed is all there is; some of them without one stand last
    chosen.sort(key=lambda each: _LAST if each.stamp is None else -each.stamp)
    answer: dict[str, Any] = {"title": feed.title, "url": feed.url, "kind": feed.kind}
    if feed.description:
        answer["description"] = feed.description
    rows = [each._replace(stamp=None)._asdict() for each in chosen[:limit]]
    answer["entries"] = [
        {key: list(value) if isinstance(value, tuple) else value
         for key, value in row.items() if value}
        for row in rows
    ]  # fmt: skip
    answer["count"] = len(chosen)
    if len(chosen) > limit:
        answer["truncated"] = True
    undated = sum(each.stamp is None for each in feed.entries)
    if since is not None and undated:
        answer["note"] = f"{undated} entries have no date and were left out."
    return answer
