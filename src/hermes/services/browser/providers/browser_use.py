"""Browser Use Cloud, browsers as a service."""

from __future__ import annotations

from hermes.base.errors import Unavailable
from hermes.services.browser.contract import Connected, Means
from hermes.services.browser.providers.cdp import borrow

NAME = "browser_use"
KEYS = ("BROWSER_USE_API_KEY",)
_BASE = "https://api.browser-use.com"


async def open(means: Means) -> Connected:
    """Start a browser there and attach to it; it is stopped when it is closed."""
    base = means.options.base(NAME, _BASE)
    headers = {"x-browser-use-api-key": means.secret(KEYS[0])}
    started = await means.ask("POST", f"{base}/api/v4/browsers", headers, {})
    where = started.get("cdpUrl")
    if not isinstance(where, str):
        raise Unavailable("Browser Use gave no browser", hint="Check its key.")

    async def give_back() -> None:
        stop = {"action": "stop"}
        await means.ask("PATCH", f"{base}/api/v4/browsers/{started['id']}", headers, stop)

    lent = await borrow(means, where, NAME, give_back)
    return lent._replace(live_url=str(started.get("liveUrl") or ""))
