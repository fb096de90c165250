"""Judge the requests of a browser that runs elsewhere, where no proxy of ours stands before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hermes.policy.urls import UrlRules, judge
from hermes.services.browser.session import Session

_HARMLESS = ("data:", "blob:", "about:")


def _is_open(url: str, rules: Sequence[UrlRules]) -> bool:
    return all(judge(url, each).decision == "allow" for each in rules)


async def guard(context: Any, session: Session) -> None:
    """Have every request of a context judged by its address."""

    async def check(route: Any) -> None:
        url = route.request.url
        if url.startswith(_HARMLESS) or _is_open(url, session.rules):
            await route.continue_()
            return
        session.events.note(f"the policy kept the page from {url[:200]}")
        await route.abort("blockedbyclient")

    await context.route("**/*", check)
