"""Firecrawl's search."""

from __future__ import annotations

from typing import Any

from hermes.base.json import encode_bytes
from hermes.services.web.asking import Ask
from hermes.services.web.search.contract import Means, Query, Results, hits_of, json_of
from hermes.services.web.search.google_dates import restricted

NAME = "firecrawl"
BASE = "https://api.firecrawl.dev"
KEYS = ("FIRECRAWL_API_KEY",)
_MOST = 100


async def search(query: Query, means: Means) -> Results:
    """Return what Firecrawl finds; it has no word for safe search."""
    asked: dict[str, Any] = {"query": query.text, "limit": min(query.limit, _MOST)}
    if query.has_date:
        asked["tbs"] = restricted(query)
    headers = (
        ("content-type", "application/json"),
        ("authorization", f"Bearer {means.secret(KEYS[0])}"),
    )
    page = await means.send(Ask(f"{means.base}/v2/search", "POST", headers, encode_bytes(asked)))
    data = json_of(page, NAME).get("data")
    found = data.get("web") if isinstance(data, dict) else data
    unsupported = () if query.safe is None else ("safe_search",)
    return Results(tuple(hits_of(found, "title", "url", "description", "date")), unsupported)
