"""Firecrawl's browsers as a service."""

from __future__ import annotations

from hermes.base.errors import Unavailable
from hermes.services.browser.contract import Connected, Means
from hermes.services.browser.providers.cdp import borrow

NAME = "firecrawl"
KEYS = ("FIRECRAWL_API_KEY",)
_BASE = "https://api.firecrawl.dev"


async def open(means: Means) -> Connected:
    """Start a browser there and attach to it; it is deleted when it is closed."""
    base = means.options.base(NAME, _BASE)
    headers = {"authorization": f"Bearer {means.secret(KEYS[0])}"}
    started = await means.ask("POST", f"{base}/v2/browser", headers, {})
    where = started.get("cdpUrl")
    if not isinstance(where, str):
        raise Unavailable("Firecrawl gave no browser", hint="Check its key.")

    async def give_back() -> None:
        await means.ask("DELETE", f"{base}/v2/browser/{started['id']}", headers, None)

    lent = await borrow(means, where, NAME, give_back)
    return lent._replace(live_url=str(started.get("liveViewUrl") or ""))
