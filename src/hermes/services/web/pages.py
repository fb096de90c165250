"""Say in words why a page is not what was asked for."""

from __future__ import annotations

from hermes.base.errors import ToolError
from hermes.base.text import harmless
from hermes.services.web.asking import Page

_HINTS = {
    401: "It wants a log-in, which this tool does not have.",
    403: "It keeps programs out, or wants a log-in; try the browser tools or another source.",
    404: "There is nothing at this address; search for the page.",
    410: "It was taken away for good; search for another source.",
    429: "It limits how often it is asked; wait before trying again.",
    451: "It may not be shown for legal reasons; search for another source.",
}


def check(page: Page) -> None:
    """Raise what went wrong, if a page is no success."""
    if page.is_ok:
        return
    said = harmless(" ".join(page.text().split())[:200], limit=200) if page.body else ""
    reason = f" {page.reason}" if page.reason else ""
    raise ToolError(
        f"{page.url} answered {page.status}{reason}" + (f": {said}" if _is_words(said) else ""),
        code="http_error",
        hint=_HINTS.get(page.status, "Try again later, or another source."),
    )


def check_markup(page: Page) -> None:
    """Raise what a page is instead, if it cannot have elements to pick."""
    kind = page.media_type
    if kind and not kind.startswith("text/") and not kind.endswith(("html", "xml")):
        raise ToolError(
            f"{page.url} is {kind}, which has no elements to pick",
            code="not_text",
            hint="web_extract reads documents, and http_request data.",
        )


def _is_words(said: str) -> bool:
    return bool(said) and "<" not in said[:50]
