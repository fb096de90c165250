"""Sitemaps: the addresses that a site names itself."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Iterable

import lxml.etree

from hermes.base.errors import ToolError
from hermes.services.web.asking import Ask, Caller
from hermes.services.web.robots import Fetch

_MOST_MAPS = 20
_MOST_BYTES = 50_000_000


async def addresses_of(maps: Iterable[str], fetch: Fetch, caller: Caller, most: int) -> list[str]:
    """Return the addresses that sitemaps name, those of maps of maps too."""
    waiting, seen, found = list(maps), set[str](), list[str]()
    while waiting and len(seen) < _MOST_MAPS and len(found) < most:
        url = waiting.pop(0)
        if url in seen:
            continue
        seen.add(url)
        try:
            page = await fetch(Ask(url, seconds=20, max_bytes=_MOST_BYTES, attempts=1), caller)
        except ToolError:
            continue
        if page.is_ok:
            pages, more = await asyncio.to_thread(named, page.body)
            found += pages
            waiting += more
    return found[:most]


def named(data: bytes) -> tuple[list[str], list[str]]:
    """Return the pages and the further maps that a sitemap names; none if it cannot be read."""
    if data[:2] == b"\x1f\x8b":
        try:
            data = zlib.decompressobj(31).decompress(data, _MOST_BYTES)
        except (zlib.error, gzip.BadGzipFile):
            return [], []
    if not data.lstrip().startswith(b"<"):
        lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines()]
        return [line for line in lines if line.startswith(("http://", "https://"))], []
    parser = lxml.etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    tree = lxml.etree.fromstring(data, parser)
    if tree is None:
        return [], []
    locations = [
        (each.text or "").strip()
        for each in tree.iter("{*}loc")
        if isinstance(each.tag, str) and _is_own(each)
    ]
    is_index = lxml.etree.QName(tree).localname == "sitemapindex"
    return ([], locations) if is_index else (locations, [])


def _is_own(location: object) -> bool:
    parent = location.getparent()  # type: ignore[attr-defined]  # an element
    return parent is not None and lxml.etree.QName(parent).localname in ("url", "sitemap")
