"""Tavily, a search service for programs."""

from __future__ import annotations

from typing import Any

from hermes.base.json import encode_bytes
from hermes.services.web.asking import Ask
from hermes.services.web.search.contract import Means, Query, Results, hits_of, json_of

NAME = "tavily"
BASE = "https://api.tavily.com"
KEYS = ("TAVILY_API_KEY",)
_MOST = 20


async def search(query: Query, means: Means) -> Results:
    """Return what Tavily finds; it has no word for safe search."""
    asked: dict[str, Any] = {"query": query.text, "max_results": min(query.limit, _MOST)}
    if query.age:
        asked["time_range"] = query.age
    if query.since:
        asked["start_date"] = query.since
    if query.until:
        asked["end_date"] = query.until
    headers = (
        ("content-type", "application/json"),
        ("authorization", f"Bearer {means.secret(KEYS[0])}"),
    )
    page = await means.send(Ask(f"{means.base}/search", "POST", headers, encode_bytes(asked)))
    found = json_of(page, NAME).get("results")
    unsupported = () if query.safe is None else ("safe_search",)
    return Results(tuple(hits_of(found, "title", "url", "content", "published_date")), unsupported)
