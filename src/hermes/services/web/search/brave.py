"""Brave Search."""

from __future__ import annotations

from urllib.parse import urlencode

from hermes.services.web.asking import Ask
from hermes.services.web.search.contract import Means, Query, Results, hits_of, json_of, today

NAME = "brave"
BASE = "https://api.search.brave.com"
KEYS = ("BRAVE_API_KEY",)
_AGES = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
_MOST = 20


async def search(query: Query, means: Means) -> Results:
    """Return what Brave finds."""
    asked = {"q": query.text, "count": str(min(query.limit, _MOST))}
    if query.age:
        asked["freshness"] = _AGES[query.age]
    elif query.since or query.until:
        asked["freshness"] = f"{query.since or '1970-01-01'}to{query.until or today()}"
    if query.safe is not None:
        asked["safesearch"] = "strict" if query.safe else "off"
    headers = (("accept", "application/json"), ("x-subscription-token", means.secret(KEYS[0])))
    page = await means.send(
        Ask(f"{means.base}/res/v1/web/search?{urlencode(asked)}", headers=headers)
    )
    web = json_of(page, NAME).get("web")
    found = web.get("results") if isinstance(web, dict) else None
    return Results(tuple(hits_of(found, "title", "url", "description", "page_age")))
