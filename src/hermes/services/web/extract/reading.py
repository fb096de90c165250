"""Read whatever an address gives: pages, documents, feeds, data, plain text."""

from __future__ import annotations

import asyncio
import codecs
import json
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from hermes.base.errors import ToolError
from hermes.base.json import NotJson, decode
from hermes.base.optional import load
from hermes.services.web.asking import Ask, Caller, Page
from hermes.services.web.pages import check

Document = Callable[[str, bytes, str], str]
"""Gives the text of a document: its kind, its bytes, its name."""
Render = Callable[[str, Caller], Awaitable[str]]
"""Gives the HTML of a page after its scripts ran."""
_OFFICE = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/x-ipynb+json": "ipynb",
}
_ENDINGS = ("docx", "xlsx", "pptx", "ipynb")
_UNSAID = frozenset({"application/octet-stream", "binary/octet-stream"})
"""What services say of what they do not know."""
_MOST_BYTES = 30_000_000


class Content(NamedTuple):
    """What an address gave, read."""

    url: str
    text: str
    kind: str
    about: dict[str, Any]
    """Title, author, date and the like, those that are known."""


class Tools(NamedTuple):
    """What reading works with, handed by whoever has it."""

    fetch: Callable[[Ask, Caller], Awaitable[Page]]
    document: Document
    render: Render | None = None


async def read(tools: Tools, url: str, format: str, caller: Caller) -> Content:
    """Return what an address says.

    Raises:
        ToolError: it cannot be had or read; says why.
    """
    page = await tools.fetch(Ask(url, max_bytes=_MOST_BYTES, headers=_ACCEPT), caller)
    check(page)
    kind = _kind(page)
    if kind == "html":
        return await _read_page(tools, page, format, caller)
    content = await asyncio.to_thread(_read_other, tools, page, kind)
    return content._replace(about=content.about | _cut(page))


_ACCEPT = (("accept", "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8"),)


async def _read_page(tools: Tools, page: Page, format: str, caller: Caller) -> Content:
    articles = load("hermes.services.web.extract.articles", extra="web")
    html = page.text()
    found = await asyncio.to_thread(articles.read, html, page.url, format)
    about: dict[str, Any] = {}
    if len(html) > articles.MOST_CHARS:
        about["cut"] = f"Only the first {articles.MOST_CHARS:,} characters were read."
    if found.needs_scripts and tools.render is not None:
        try:
            html = await tools.render(page.url, caller)
        except ToolError as error:
            about["note"] = (
                f"The page needs scripts, and no browser could run them: {error.message}"
            )
        else:
            found = await asyncio.to_thread(articles.read, html, page.url, format)
            about["rendered"] = True
    elif found.needs_scripts:
        about["note"] = "The page is empty without scripts; the browser tools may read it."
    about |= {
        "title": found.title,
        "author": found.author,
        "date": found.date,
        "site": found.site,
        "language": found.language,
        "description": found.summary,
        "links": [link._asdict() for link in found.links],
    }
    known = {name: value for name, value in about.items() if value}
    return Content(page.url, found.text, "html", known | _cut(page))


def _read_other(tools: Tools, page: Page, kind: str) -> Content:
    name = page.url.rpartition("/")[2].partition("?")[0] or page.url
    if kind in (*_ENDINGS, "pdf"):
        return Content(page.url, tools.document(kind, page.body, name), kind, {"title": name})
    if kind == "feed":
        feeds = load("hermes.services.web.feeds", extra="web")
        feed = feeds.read(page)
        return Content(
            page.url, _feed_text(feed), "feed", {"title": feed.title} if feed.title else {}
        )
    if kind == "json":
        return Content(page.url, _json_text(page.text()), "json", {})
    if kind == "text":
        return Content(page.url, page.text(), "text", {})
    raise ToolError(
        f"{page.url} is {page.media_type or 'binary'}, which has no text to read",
        code="not_text",
        hint="http_request with save_to keeps it as a file.",
    )


def _kind(page: Page) -> str:
    """Return what a page is, by its bytes before its words about itself."""
    head, said = page.body[:2_000].lstrip(), page.media_type
    ending = page.url.partition("?")[0].rpartition(".")[2].lower()
    if head.startswith(b"%PDF-"):
        return "pdf"
    if said in _OFFICE:
        return _OFFICE[said]
    if head.startswith(b"PK\x03\x04") and ending in _ENDINGS:
        return ending
    if ending == "ipynb" and head.startswith(b"{"):
        return "ipynb"
    if load("hermes.services.web.feeds", extra="web").is_feed(page):
        return "feed"
    lowered = head[:500].lower()
    if "html" in said or (not said and (b"<html" in lowered or b"<!doctype html" in lowered)):
        return "html"
    if said.endswith("json"):
        return "json"
    if said.startswith("text/") or said.endswith(("xml", "javascript", "yaml", "toml")):
        return "text"
    if said and said not in _UNSAID:
        return "binary"
    is_text = b"\0" not in page.body[:2_000] and (not said or _is_utf8(page.body))
    return "text" if is_text else "binary"


def _is_utf8(data: bytes) -> bool:
    """Say whether bytes are UTF-8, as far as one looks."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data[:2_000], final=len(data) <= 2_000)
    except UnicodeDecodeError:
        return False
    return True


def _feed_text(feed: Any) -> str:
    lines = [f"# {feed.title}"] if feed.title else []
    lines += [
        f"## {each.title or each.url}\n{each.published}\n{each.url}\n\n{each.summary}"
        for each in feed.entries
    ]
    return "\n\n".join(lines)


def _json_text(text: str) -> str:
    try:
        return json.dumps(decode(text), indent=2, ensure_ascii=False)
    except (NotJson, TypeError, ValueError):
        return text


def _cut(page: Page) -> dict[str, Any]:
    if not page.is_cut:
        return {}
    return {"cut": f"Only the first {len(page.body):,} bytes were read."}
