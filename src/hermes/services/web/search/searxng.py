"""SearXNG, an engine that people run themselves."""

from __future__ import annotations

from urllib.parse import urlencode

from hermes.services.web.asking import Ask
from hermes.services.web.search.contract import Means, Query, Results, hits_of, json_of

NAME = "searxng"
BASE = ""
KEYS = ()
_WHY = {
    401: "it wants a log-in",
    403: "it gives no JSON; its settings allow that with json in search.formats",
}


async def search(query: Query, means: Means) -> Results:
    """Return what the instance finds; it knows ages but no dates."""
    asked = {"q": query.text, "format": "json"}
    unsupported = ("date_range",) if query.since or query.until else ()
    if query.age:
        asked["time_range"] = query.age
    if query.safe is not None:
        asked["safesearch"] = "2" if query.safe else "0"
    page = await means.send(Ask(f"{means.base}/search?{urlencode(asked)}"))
    found = json_of(page, NAME, _WHY)
    hits = hits_of(found.get("results"), "title", "url", "content", "publishedDate")
    return Results(tuple(hits), unsupported)
