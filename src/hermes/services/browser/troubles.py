"""Say in words what went wrong in a browser."""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import Any

from playwright.async_api import Error, TimeoutError

from hermes.base.errors import TimedOut, ToolError
from hermes.base.text import harmless

__all__ = ["Error", "said", "still_answers"]
_ANSWER_SECONDS = 2.0
_CALL_LOG = re.compile(r"\n?Call log:.*", re.DOTALL)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_NETWORK = {
    "ERR_NAME_NOT_RESOLVED": "there is no such host",
    "ERR_CONNECTION_REFUSED": "nobody answers there",
    "ERR_CONNECTION_TIMED_OUT": "it does not answer",
    "ERR_INTERNET_DISCONNECTED": "this machine is not connected",
    "ERR_CERT": "its certificate is not valid",
    "ERR_TUNNEL_CONNECTION_FAILED": "the policy does not let the browser go there",
    "ERR_PROXY": "the policy does not let the browser go there",
    "ERR_ABORTED": "the load was broken off, perhaps by a download",
    "ERR_SSL": "it does not speak TLS as it should",
    "ERR_INVALID_AUTH_CREDENTIALS": "it asks for a name and a password",
    "ERR_CONNECTION_RESET": "it broke the connection off",
    "ERR_CONNECTION_CLOSED": "it broke the connection off",
    "ERR_EMPTY_RESPONSE": "it answered nothing",
    "ERR_CONTENT_LENGTH_MISMATCH": "it broke the connection off",
    "ERR_INVALID_RESPONSE": "what it answers is not HTTP",
    "ERR_TOO_MANY_REDIRECTS": "it redirects in a circle",
}


async def still_answers(connected: Any, error: Error) -> bool:
    """Say whether a browser answers; asked of it only after an error about something closed."""
    if "closed" not in error.message:
        return True
    with contextlib.suppress(Exception):  # a driver that is gone raises whatever it likes
        async with asyncio.timeout(_ANSWER_SECONDS):
            session = await connected.browser.new_browser_cdp_session()
            await session.detach()
            return True
    return False


async def stopped(driver: Any) -> None:
    """Stop a driver that does not answer, as far as it lets itself be stopped."""
    with contextlib.suppress(Exception):
        async with asyncio.timeout(_ANSWER_SECONDS):
            await driver.stop()


def said(error: Error, *, is_alive: bool) -> ToolError:
    """Return what a model should read of a browser's error."""
    text = _CALL_LOG.sub("", _COLOUR.sub("", error.message)).strip()
    log = error.message.partition("Call log:")[2]
    if not is_alive:
        return ToolError(
            "the browser was closed or crashed, and its pages are gone",
            code="browser_gone",
            hint="Navigate again; a new one is started.",
        )
    if "has been closed" in text:
        return ToolError("the page was closed in the meantime", code="page_closed",
                         hint="browser_snapshot shows what is open.")  # fmt: skip
    for code, words in _NETWORK.items():
        if code in text:
            return ToolError(f"the page could not be loaded: {words}", code="navigation_failed",
                             hint="Check the address, or try another one.")  # fmt: skip
    if isinstance(error, TimeoutError):
        return TimedOut(_waited(text, log), hint=_after_waiting(log))
    if failed := re.search(r"net::(ERR_\w+)", text):
        return ToolError(f"the page could not be loaded: {failed[1]}", code="navigation_failed")
    first = text.splitlines()[0] if text else type(error).__name__
    first = first.partition(": ")[2] if re.match(r"[A-Z][\w.]+: ", first) else first
    first = first.removeprefix("Error: ")
    return ToolError(harmless(first, limit=400), code="browser_error")


def _waited(text: str, log: str) -> str:
    seconds = re.search(r"Timeout (\d+)ms", text)
    after = f" after {int(seconds[1]) / 1000:g} s" if seconds else ""
    return f"it could not be done{after}: {_why(log)}"


def _why(log: str) -> str:
    if "intercepts pointer events" in log:
        found = re.search(r"<(\w+)([^>]{0,80})>.{0,200}intercepts pointer events", log)
        return f"another element covers it{f' (<{found[1]}{found[2]}>)' if found else ''}"
    for sign, words in (("element is not visible", "it is not visible"),
                        ("element is not enabled", "it is disabled"),
                        ("element is not editable", "it cannot be written to"),
                        ("element is not stable", "it keeps moving"),
                        ("outside of the viewport", "it is outside of the window")):  # fmt: skip
        if sign in log:
            return words
    return "the page did not get there"


def _after_waiting(log: str) -> str:
    if "intercepts pointer events" in log:
        return "Close what covers it first; browser_snapshot shows it."
    return "Look at the page with browser_snapshot, and scroll or wait if it is not ready."
