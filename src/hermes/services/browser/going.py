"""Go to an address, and back."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Error, TimeoutError

from hermes.base.errors import Denied, InvalidArguments, ToolError
from hermes.policy.urls import UrlRules
from hermes.services.browser.session import Session

_SCHEMES = ("http://", "https://")
_OF_THE_PROXY = (403, 502)
_DOWNLOAD_SECONDS = 2.0
_ERROR_MILLISECONDS = 500


def address_of(text: str) -> str:
    """Return an address that a person or a model wrote, with its scheme.

    Raises:
        InvalidArguments: it is no address of the web.
    """
    url = text.strip()
    if url == "about:blank" or url.lower().startswith(_SCHEMES):
        return url
    scheme, colon, rest = url.partition(":")
    if colon and scheme.isalpha() and not rest[:1].isdigit():
        raise InvalidArguments(
            f"the browser does not open {scheme}: addresses",
            hint="Use http or https; local files are read with the file tools.",
        )
    return f"https://{url}"


async def go(session: Session, url: str, rules: tuple[UrlRules, ...]) -> int:
    """Load an address in the task's tab, and return the status that it was answered with.

    Raises:
        Denied: the policy does not let the page go there, or to where it leads.
    """
    session.check_dialog()
    session.allow(rules)
    page = await session.tab_that_answers()
    session.passage.refused()
    session.passage.unreached()
    session.events.download_began.clear()
    answer = None
    try:
        answer = await _loaded(session, page, url)
    except Error as error:
        if not await _is_download(session, error):
            await _error_shown(page, error)
            _explain(session, url, error)
            raise
    if answer is not None and answer.status in _OF_THE_PROXY:
        await _check_passed(session, page, url, answer)
    if answer is not None and "application/pdf" in answer.headers.get("content-type", ""):
        session.events.note(
            "it is a PDF, whose text the browser does not show; web_extract reads it"
        )
    return answer.status if answer is not None else 0


async def _loaded(session: Session, page: Any, url: str) -> Any:
    """Load an address; None when a dialog keeps it from being loaded."""
    try:
        return await session.act(_load(session, page, url))
    except Error as error:
        # the page about an error that the one before ended with may still be on its way
        if "interrupted by another navigation" not in error.message:
            raise
    return await session.act(_load(session, page, url))


async def _load(session: Session, page: Any, url: str) -> Any:
    answer = await page.goto(url, wait_until="commit")
    session.events.listen_again(page)
    try:
        await page.wait_for_load_state("domcontentloaded")
    except TimeoutError:
        session.events.note("the page is not done loading; this is what it shows so far")
    return answer


async def _error_shown(page: Any, error: Error) -> None:
    """Wait for the browser's own page about an error, which would break off the next load."""
    if "net::ERR_" in error.message and "ERR_ABORTED" not in error.message:
        with contextlib.suppress(Error):
            await page.wait_for_url("chrome-error://**", timeout=_ERROR_MILLISECONDS)


async def _is_download(session: Session, error: Error) -> bool:
    """Say whether an address gave a file instead of a page; what is told of it comes later."""
    if "Download is starting" not in error.message and "ERR_ABORTED" not in error.message:
        return False
    wait = _DOWNLOAD_SECONDS if "Download is starting" in error.message else 0
    waiting = asyncio.ensure_future(session.events.download_began.wait())
    await asyncio.wait({waiting}, timeout=wait)
    waiting.cancel()
    return session.events.download_began.is_set()


def _explain(session: Session, url: str, error: Exception | None = None) -> None:
    """Raise what our own way to the web says about a page that was not loaded, if it does."""
    if refused := session.passage.refused():
        raise Denied(f"the page leads where it may not: {refused[0]}") from error
    if why := session.passage.unreached().get(_authority(url)):
        raise ToolError(
            f"the page could not be loaded: {why}",
            code="navigation_failed",
            hint="Check the address, or try another one.",
        ) from error


def _authority(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


async def _check_passed(session: Session, page: Any, url: str, answer: Any) -> None:
    """Refuse to show what our own proxy answered in place of a page."""
    if (await answer.text()).startswith("hermes proxy: "):
        await page.goto("about:blank")
        _explain(session, answer.url)
        _explain(session, url)


async def back(session: Session) -> None:
    """Go back to the page before.

    Raises:
        ToolError: there is none.
    """
    session.check_dialog()
    page = await session.tab()
    before = page.url
    answer = await session.act(page.go_back(wait_until="domcontentloaded"))
    is_waiting = session.events.dialog_opened.is_set()
    if answer is None and page.url == before and not is_waiting:
        raise ToolError("there is no page to go back to", code="no_history")
