"""Say why a service gave no answer, and whether asking again could help."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import NamedTuple

from hermes.base.json import NotJson, decode
from hermes.base.messages import Json
from hermes.base.optional import load
from hermes.base.text import harmless
from hermes.llm import values
from hermes.llm.contract import ModelError, Trouble

_EXCERPT = 400
_BUSY = frozenset({408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_TOO_LONG = re.compile(
    r"context[ _]?(?:length|window|size)|maximum context|prompt is too long|too many tokens"
    r"|input (?:is )?too long|exceeds? the (?:available|maximum|max)[a-z ]*(?:context|tokens?)"
    r"|request_too_large|token count .{0,40}exceeds|reduce the length",
    re.IGNORECASE,
)
_SPENT = re.compile(
    r"insufficient_quota|billing|credit balance|payment|exceeded your current quota", re.IGNORECASE
)
_LIMITED = re.compile(r"rate.?limit|too many requests|resource_exhausted|quota", re.IGNORECASE)
_KEY = re.compile(
    r"api[ _-]?key|authenticat|unauthori[sz]ed|permission_denied|unauthenticated", re.IGNORECASE
)
_OVERLOADED = re.compile(
    r"overloaded|server_error|internal|unavailable|timeout|timed out|try again|api_error"
    r"|upstream|provider returned error|capacity",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"does(?:n't| not) support (?:tools?|function)|support tool use|tools?[ a-z]{0,12}not supported"
    r"|tool choice requires|requires? --jinja|--tool-call-parser",
    re.IGNORECASE,
)
_HINTS: dict[Trouble, str] = {
    "key": "Check the key in its environment variable; 'hermes model list' names it.",
    "limit": "Wait a little, ask for less, or choose another model: hermes model set NAME",
    "busy": "The service has trouble of its own: wait, or choose another model.",
    "unreachable": "Check the address, the network and the proxy, and that the server runs.",
    "cut": "Ask again; if it happens each time, another model may help.",
    "unreadable": "Check that the address is that of the API, not of a web page.",
    "too long": "Shorten the conversation, or choose a model with a larger window.",
    "refused": "'hermes model list' shows the models that the service offers.",
}


class Failed(Exception):
    """Carry an error up to where it is decided whether to ask again."""

    def __init__(self, error: ModelError, *, may_pass: bool, status: int = 0) -> None:
        super().__init__(error.message)
        self.error = error
        self.may_pass = may_pass
        self.status = status


class Refusal(NamedTuple):
    """An answer that is none: its status, what it says, and how long to wait."""

    status: int
    headers: Mapping[str, str]
    body: str


def failed(
    trouble: Trouble,
    message: str,
    *,
    may_pass: bool | None = None,
    wait_seconds: float | None = None,
    status: int = 0,
    hint: str | None = None,
) -> Failed:
    """Return a failure; whether it may pass follows from the trouble unless it is said."""
    passes = trouble in {"limit", "busy", "unreachable", "cut", "unreadable"}
    error = ModelError(
        message, trouble=trouble, hint=hint or _HINTS[trouble], wait_seconds=wait_seconds
    )
    return Failed(error, may_pass=passes if may_pass is None else may_pass, status=status)


def cut(who: str) -> Failed:
    """Return the failure of an answer that ended before it was whole."""
    return failed("cut", f"{who} ended its answer before it was whole")


def of_status(who: str, refusal: Refusal) -> Failed:
    """Return the failure that an HTTP status and its body stand for."""
    body = _json(refusal.body)
    said = message_of(body) or ("" if body is not None else _page(refusal.body))
    trouble, may_pass = _judged(refusal.status, _details(body) + said)
    word = refusal.headers.get("x-should-retry")
    if word in {"true", "false"}:
        may_pass = word == "true"
    tail = f": {harmless(said, limit=_EXCERPT)}" if said else ""
    return failed(
        trouble,
        f"{who} answered {refusal.status}{tail}",
        may_pass=may_pass,
        wait_seconds=waiting(refusal.headers, body, time.time()),
        status=refusal.status,
    )


def of_event(who: str, event: Json) -> Failed:
    """Return the failure that an error in the midst of an answer stands for."""
    said = message_of(event) or "an error without a word"
    details = _details(event) + said
    code = values.at(event, "error", "code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 0
    if status:
        trouble, may_pass = _judged(status, details)
    elif _TOO_LONG.search(details):
        trouble, may_pass = "too long", False
    elif _LIMITED.search(details):
        trouble, may_pass = "limit", not _SPENT.search(details)
    elif _OVERLOADED.search(details):
        trouble, may_pass = "busy", True
    else:
        trouble, may_pass = "refused", False
    message = f"{who} broke off: {harmless(said, limit=_EXCERPT)}"
    return failed(trouble, message, may_pass=may_pass, status=status)


def has_no_tools(message: str) -> bool:
    """Say whether a service refused a question because its model takes no tools."""
    return _NO_TOOLS.search(message) is not None


def _judged(status: int, details: str) -> tuple[Trouble, bool]:
    if has_no_tools(details):  # llama.cpp says 500
        return "refused", False
    if status == 429:
        return "limit", not _SPENT.search(details)
    if status in _BUSY or status >= 500:
        # llama.cpp and some gateways say 500 where they mean that the question is too long
        return ("too long", False) if _TOO_LONG.search(details) else ("busy", True)
    if status == 413 or _TOO_LONG.search(details):
        return "too long", False
    if status in {401, 403} or (status == 400 and _KEY.search(details)):
        return "key", False
    return ("limit", False) if status == 402 else ("refused", False)


def message_of(body: Json) -> str:
    """Return the sentence in which a service says what is wrong, wherever it puts it."""
    if isinstance(body, list):
        return message_of(values.first(body))
    error = values.at(body, "error")
    places = (
        values.at(error, "metadata", "raw"),  # a gateway's word for what the service behind it said
        values.at(error, "message"),
        error,
        values.at(body, "response", "error", "message"),
        values.at(body, "message"),
        values.at(body, "detail"),
        values.at(values.first(values.at(body, "detail")), "msg"),
    )
    return next((place for place in places if isinstance(place, str) and place), "")


def _details(body: Json) -> str:
    """Return the codes and names beside the sentence, to be searched."""
    if isinstance(body, list):
        body = values.first(body)
    error = values.at(body, "error") or values.at(body, "response", "error")
    words = (values.at(error, name) for name in ("type", "code", "status", "param"))
    return "".join(f"{word} " for word in words if isinstance(word, str))


def waiting(headers: Mapping[str, str], body: Json, now: float) -> float | None:
    """Return how many seconds a service asks to wait: in a header, or as Google puts it."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        given = headers.get(name, "")
        try:
            seconds = float(given) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        date = load("email.utils").parsedate_to_datetime(headers["retry-after"])
        return max(0.0, float(date.timestamp()) - now)
    except (KeyError, ValueError, OverflowError):
        pass
    return _google_delay(values.first(body) if isinstance(body, list) else body)


def _google_delay(body: Json) -> float | None:
    for detail in values.objects(values.at(body, "error", "details")):
        found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,9})?)s", values.text(detail.get("retryDelay")))
        if found:
            return float(found[1])
    return None


def _json(body: str) -> Json | None:
    try:
        return decode(body)
    except NotJson:
        return None


def _page(body: str) -> str:
    """Return what an HTML page says in its title, or a text as it is."""
    title = re.search(r"<title[^>]*>(.*?)</title>", body, re.IGNORECASE | re.DOTALL)
    if title:
        return f"a web page, {' '.join(title[1].split())!r}"
    is_page = body.lstrip()[:1] == "<"
    return "a web page" if is_page else " ".join(body.split())
