"""Google's Programmable Search."""

from __future__ import annotations

from urllib.parse import urlencode

from hermes.services.web.asking import Ask
from hermes.services.web.search.contract import Means, Query, Results, hits_of, json_of, today

NAME = "google"
BASE = "https://www.googleapis.com"
KEYS = ("GOOGLE_API_KEY", "GOOGLE_CSE_ID")
_MOST = 10


async def search(query: Query, means: Means) -> Results:
    """Return what Google finds."""
    asked = {"key": means.secret(KEYS[0]), "cx": means.secret(KEYS[1]), "q": query.text,
             "num": str(min(query.limit, _MOST))}  # fmt: skip
    if query.age:
        asked["dateRestrict"] = f"{query.age[0]}1"
    elif query.since or query.until:
        first, last = query.since or "1970-01-01", query.until or today()
        asked["sort"] = f"date:r:{first}:{last}".replace("-", "")
    if query.safe is not None:
        asked["safe"] = "active" if query.safe else "off"
    page = await means.send(Ask(f"{means.base}/customsearch/v1?{urlencode(asked)}"))
    return Results(tuple(hits_of(json_of(page, NAME).get("items"), "title", "link", "snippet")))
