"""Go to an address, and back."""

from __future__ import annotations

from hermes.base.errors import Denied, InvalidArguments, ToolError
from hermes.policy.urls import UrlRules
from hermes.services.browser.session import Session

_SCHEMES = ("http://", "https://")


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
    page = await session.tab()
    session.passage.refused()
    before = len(session.events.downloads)
    answer = None
    try:
        answer = await page.goto(url, wait_until="domcontentloaded")
    except Exception as error:
        refused = session.passage.refused()
        if refused:
            raise Denied(f"the page leads where it may not: {refused[0]}") from error
        if len(session.events.downloads) == before:
            raise
    if answer is not None and answer.status == 403:
        refused = session.passage.refused()
        if refused and (await answer.text()).startswith("hermes proxy: "):
            await page.goto("about:blank")
            raise Denied(f"the page leads where it may not: {refused[0]}")
    return answer.status if answer is not None else 0


async def back(session: Session) -> None:
    """Go back to the page before.

    Raises:
        ToolError: there is none.
    """
    session.check_dialog()
    page = await session.tab()
    before = page.url
    answer = await page.go_back(wait_until="domcontentloaded")
    if answer is None and page.url == before:
        raise ToolError("there is no page to go back to", code="no_history")
