"""Browserbase, browsers as a service."""

from __future__ import annotations

from typing import Any

from hermes.base.errors import Unavailable
from hermes.services.browser.contract import Connected, Means
from hermes.services.browser.providers.cdp import borrow

NAME = "browserbase"
KEYS = ("BROWSERBASE_API_KEY", "BROWSERBASE_PROJECT_ID")
_BASE = "https://api.browserbase.com"


async def open(means: Means) -> Connected:
    """Start a session there and attach to it; it is released when it is closed."""
    base = means.options.base(NAME, _BASE)
    headers = {"x-bb-api-key": means.secret(KEYS[0])}
    project = {"projectId": means.secret(KEYS[1])}
    session = await means.ask("POST", f"{base}/v1/sessions", headers, project)
    where = session.get("connectUrl")
    if not isinstance(where, str):
        raise Unavailable("Browserbase gave no session", hint="Check its key and project.")

    async def give_back() -> None:
        end: dict[str, Any] = {**project, "status": "REQUEST_RELEASE"}
        await means.ask("POST", f"{base}/v1/sessions/{session['id']}", headers, end)

    return await borrow(means, where, NAME, give_back)
