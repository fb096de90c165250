"""Read a page after its scripts ran."""

from __future__ import annotations

import asyncio

from playwright.async_api import Error

from hermes.policy.urls import UrlRules
from hermes.services.browser import Browsers, Caller
from hermes.services.browser.going import go
from hermes.services.browser.session import Session

_QUIET_SECONDS = 5.0


class _Aside:
    """The same caller, in a browser that is not the one it drives."""

    def __init__(self, caller: Caller) -> None:
        self.task_id = f"{caller.task_id} (reading)"
        self.check_url = caller.check_url


async def html_of(browsers: Browsers, url: str, caller: Caller) -> str:
    """Return a page's HTML when it is quiet, or after a while.

    Raises:
        ToolError: it cannot be loaded.
    """
    rules: tuple[UrlRules, ...] = caller.check_url(url)

    async def work(session: Session) -> str:
        await go(session, url, rules)
        page = await session.tab()
        try:
            async with asyncio.timeout(_QUIET_SECONDS):
                await page.wait_for_load_state("networkidle")
        except (TimeoutError, Error):
            pass  # a page that is never quiet is read as it is
        html: str = await page.content()
        return html

    aside = _Aside(caller)
    try:
        return await browsers.use(aside, work)
    finally:
        await browsers.close_task(aside.task_id)
