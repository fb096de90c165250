"""Serper, Google's results as JSON."""

from __future__ import annotations

from typing import Any

from hermes.base.json import encode_bytes
from hermes.services.web.asking import Ask
from hermes.services.web.search.contract import Means, Query, Results, hits_of, json_of
from hermes.services.web.search.google_dates import restricted

NAME = "serper"
BASE = "https://google.serper.dev"
KEYS = ("SERPER_API_KEY",)
_MOST = 100


async def search(query: Query, means: Means) -> Results:
    """Return what Google finds, by way of Serper; it has no word for safe search."""
    asked: dict[str, Any] = {"q": query.text, "num": min(query.limit, _MOST)}
    if query.has_date:
        asked["tbs"] = restricted(query)
    headers = (("content-type", "application/json"), ("x-api-key", means.secret(KEYS[0])))
    page = await means.send(Ask(f"{means.base}/search", "POST", headers, encode_bytes(asked)))
    found = json_of(page, NAME).get("organic")
    unsupported = () if query.safe is None else ("safe_search",)
    return Results(tuple(hits_of(found, "title", "link", "snippet", "date")), unsupported)
