"""A browser that runs already and listens for the DevTools protocol."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable

from playwright.async_api import Error

from hermes.base.errors import ToolError, Unavailable
from hermes.base.text import harmless
from hermes.services.browser.contract import Connected, Means

NAME = "cdp"
KEYS = ()


async def open(means: Means) -> Connected:
    """Attach to the browser at browser.cdp_url; it is left running."""
    where = means.options.cdp_url
    if not where:
        raise Unavailable(
            "browser.cdp_url is not set",
            hint="Start a browser with --remote-debugging-port=9222, and set browser.cdp_url to "
            "http://127.0.0.1:9222.",
        )
    return await attach(means, where, "cdp")


async def borrow(
    means: Means, where: str, name: str, give_back: Callable[[], Awaitable[None]]
) -> Connected:
    """Attach to a browser that a service lends, and give it back with the end, whatever fails.

    Raises:
        Unavailable: nobody listens there.
    """
    try:
        lent = await attach(means, where, name)
    except BaseException:
        with contextlib.suppress(ToolError):
            await give_back()
        raise

    async def close() -> None:
        try:
            await lent.browser.close()
        finally:
            await give_back()

    return lent._replace(close=close)


async def attach(means: Means, where: str, name: str) -> Connected:
    """Attach to a browser by its address.

    Raises:
        Unavailable: nobody listens there.
    """
    try:
        browser = await means.playwright.chromium.connect_over_cdp(where, timeout=30_000)
    except Error as error:
        said = harmless(str(error).splitlines()[0] if str(error) else "", limit=200)
        shown = where.partition("?")[0]
        raise Unavailable(
            f"no browser answers at {shown}: {said}", hint="Check that it runs and listens there."
        ) from error
    return Connected(browser, browser.close, is_local=False, name=name,
                     has_context=name != "cdp")  # fmt: skip
