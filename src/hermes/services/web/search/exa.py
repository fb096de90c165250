"""Exa, a search service for programs."""

from __future__ import annotations

from typing import Any

from hermes.base.json import encode_bytes
from hermes.services.web.asking import Ask
from hermes.services.web.search.contract import (
    Means,
    Query,
    Results,
    hits_of,
    json_of,
    since,
    words,
)

NAME = "exa"
BASE = "https://api.exa.ai"
KEYS = ("EXA_API_KEY",)
_SNIPPET_CHARS = 500
_MOST = 100


async def search(query: Query, means: Means) -> Results:
    """Return what Exa finds, each with the sentences that fit best."""
    asked: dict[str, Any] = {
        "query": query.text,
        "numResults": min(query.limit, _MOST),
        "contents": {"highlights": {"maxCharacters": _SNIPPET_CHARS}},
    }
    if first := since(query):
        asked["startPublishedDate"] = f"{first}T00:00:00.000Z"
    if query.until:
        asked["endPublishedDate"] = f"{query.until}T23:59:59.999Z"
    if query.safe is not None:
        asked["moderation"] = query.safe
    headers = (("content-type", "application/json"), ("x-api-key", means.secret(KEYS[0])))
    page = await means.send(Ask(f"{means.base}/search", "POST", headers, encode_bytes(asked)))
    found = json_of(page, NAME).get("results")
    rows = found if isinstance(found, list) else []
    told = [{**row, "said": _said(row)} for row in rows if isinstance(row, dict)]
    return Results(tuple(hits_of(told, "title", "url", "said", "publishedDate")))


def _said(row: dict[str, Any]) -> str:
    best = row.get("highlights")
    if isinstance(best, list) and best:
        return " … ".join(words(each) for each in best)
    return words(row.get("summary")) or words(row.get("text"))[:_SNIPPET_CHARS]
