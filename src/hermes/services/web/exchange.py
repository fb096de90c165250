"""Send one request over HTTP: dial what was judged, follow, try again, read up to a limit."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterable, Callable, Iterable, Mapping, Sequence
from http.cookiejar import CookieJar
from typing import NamedTuple

import httpx2

from hermes.base.dialling import Admit, dialling, judged_client, send
from hermes.base.errors import Denied, TimedOut, ToolError
from hermes.base.resolving import Resolve
from hermes.base.retrying import retry_after
from hermes.base.text import harmless
from hermes.policy.urls import MAX_REDIRECTS, UrlRules, admit, judge_redirect, keeps_credentials
from hermes.services.web.asking import Ask, Caller, Page, Pairs
from hermes.services.web.inflating import Body

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS"})
_BUSY = frozenset({429, 502, 503, 504})
_LONGEST_WAIT = 20.0
_CARRIED = frozenset({"accept", "accept-language", "user-agent", "content-type"})
_USUAL = ("accept", "accept-encoding", "connection")
_BREAKS = (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, ImportError)
AGENT = "Mozilla/5.0 (compatible; hermes-tools/0.1)"


def make_client() -> httpx2.AsyncClient:
    """Return the client of a loop."""
    return judged_client(speaks_two=True, kept=40)


class Line(NamedTuple):
    """What the requests of one call go over."""

    client: httpx2.AsyncClient
    caller: Caller
    cookies: CookieJar | None
    own: Callable[[], frozenset[str]]
    """Gives this machine's own addresses."""
    resolve: Resolve
    rules: tuple[UrlRules, ...]
    """What the first address was judged by."""


async def exchange(line: Line, ask: Ask) -> Page:
    """Return what answers a request in the end.

    Raises:
        Denied: a rule is against the address, or against where it leads.
        TimedOut: there was no answer in time.
        ToolError: there is none; says why.
    """
    try:
        async with asyncio.timeout(ask.seconds) as limit:
            return await _retried(line, ask, limit.when() or 0.0)
    except TimeoutError:
        raise TimedOut(
            f"{_host(ask.url)} did not answer within {ask.seconds:g} s",
            hint="Try again later, ask for less, or give it more time.",
        ) from None
    except _BREAKS as error:
        raise _unreachable(_host(ask.url), error) from None


async def _retried(line: Line, ask: Ask, deadline: float) -> Page:
    attempts = ask.attempts if ask.method in _REPEATABLE else 1
    for attempt in range(1, attempts + 1):
        wait = 0.5 * 2 ** (attempt - 1) * random.uniform(0.5, 1)
        is_last = attempt == attempts
        try:
            page = await _followed(line, ask)
        except httpx2.TransportError:
            if is_last or _is_past(wait, deadline):
                raise
        else:
            asked = retry_after(page.header("retry-after"), time.time())
            wait = wait if asked is None else asked
            past = wait > _LONGEST_WAIT or _is_past(wait, deadline)
            if is_last or past or page.status not in _BUSY:
                return page
            line.caller.progress(f"{_host(ask.url)} is busy; asking again in {wait:.0f} s")
        await asyncio.sleep(wait)
    raise AssertionError("the last attempt returns or raises")


def _is_past(wait: float, deadline: float) -> bool:
    return asyncio.get_running_loop().time() + wait >= deadline


async def _followed(line: Line, ask: Ask) -> Page:
    """Send a request and go where the answers send it; every address is judged anew."""
    began = time.monotonic()
    trail: list[str] = []
    while True:
        rules = (line.caller.check_url(ask.url) if trail else line.rules) or (UrlRules(),)
        page = await _sent(line, ask, rules)
        location = page.header("location")
        if not ask.follows or page.status not in _REDIRECTS or not location:
            taken = time.monotonic() - began
            return page._replace(redirects=tuple(trail), seconds=round(taken, 4))
        trail.append(page.url)
        if len(trail) > MAX_REDIRECTS:
            message = f"{_host(ask.url)} redirects more than {MAX_REDIRECTS} times"
            raise ToolError(message, code="redirects", hint="The addresses lead in a circle.")
        ask = _onward(ask, page.status, location, rules)


def _onward(ask: Ask, status: int, location: str, rules: Sequence[UrlRules]) -> Ask:
    """Return the request that a redirect asks for; credentials never leave for another origin."""
    here = httpx2.URL(ask.url)
    for each in rules:
        verdict = judge_redirect(ask.url, location, each)
        if verdict.decision != "allow":
            raise Denied(verdict.reason, rule=f"urls: {verdict.rule}")
    there = here.join(location)
    if not there.fragment and here.fragment:
        there = there.copy_with(fragment=here.fragment)
    keeps = status in {307, 308} or ask.method in _REPEATABLE
    onward = ask._replace(url=str(there)) if keeps else ask._replace(
        url=str(there), method="GET", content=None,
        headers=tuple(pair for pair in ask.headers if not pair[0].lower().startswith("content-")),
    )  # fmt: skip
    if keeps_credentials(ask.url, location):
        return onward
    if onward.content:
        raise ToolError(
            f"{here.host} redirects to {there.host}, which was not sent the request's content",
            code="redirects",
            hint=f"If it may have it, send the request to {there} itself.",
        )
    carried = tuple(pair for pair in onward.headers if pair[0].lower() in _CARRIED)
    return onward._replace(headers=carried)


async def _sent(line: Line, ask: Ask, rules: Sequence[UrlRules]) -> Page:
    headers = _headers(ask, line.client.headers)
    request = httpx2.Request(ask.method, ask.url, headers=headers, content=ask.content)
    jar = line.cookies if ask.has_cookies else None
    if jar is not None and any(True for _ in jar) and "cookie" not in request.headers:
        httpx2.Cookies(jar).set_cookie_header(request)
    with dialling(_admitting(rules, line.own), line.resolve):
        response = await send(line.client, request)
    try:
        body, is_cut = await _read(response, ask, line.client.headers)
    finally:
        await response.aclose()
    if jar is not None and "set-cookie" in response.headers:
        httpx2.Cookies(jar).extract_cookies(response)
    return Page(
        ask.url,
        response.status_code,
        response.reason_phrase,
        _decoded_headers(response),
        body,
        is_cut,
        version=response.http_version,
    )


def _headers(ask: Ask, usual: Mapping[str, str]) -> list[tuple[str, str]]:
    given = {name.lower() for name, _ in ask.headers}
    own = [(name, usual[name]) for name in _USUAL if name not in given]
    if "user-agent" not in given:
        own.append(("user-agent", AGENT))
    return [*own, *ask.headers]


def _admitting(rules: Sequence[UrlRules], own: Callable[[], frozenset[str]]) -> Admit:
    def admitted(host: str, port: int, addresses: Iterable[str]) -> Sequence[str]:
        for each in rules:
            addresses = admit(host, port, addresses, each, own()).addresses
        return tuple(addresses)

    return admitted


async def _read(
    response: httpx2.Response, ask: Ask, usual: Mapping[str, str]
) -> tuple[bytes, bool]:
    if ask.method == "HEAD":
        return b"", False
    body = bytearray()
    is_packed = "content-encoding" in response.headers
    packed = Body(response, usual["accept-encoding"]) if is_packed else None
    assert isinstance(response.stream, AsyncIterable)
    async for chunk in response.stream if packed is None else packed.pieces():
        body += chunk
        if len(body) > ask.max_bytes:
            return bytes(body[: ask.max_bytes]), True
    return bytes(body), packed is not None and packed.breaks_off


def _decoded_headers(response: httpx2.Response) -> Pairs:
    return tuple(response.headers.multi_items())


def _host(url: str) -> str:
    try:
        return httpx2.URL(url).host or url[:100]
    except httpx2.InvalidURL:
        return url[:100]


def _unreachable(host: str, error: Exception) -> ToolError:
    said = harmless(str(error) or type(error).__name__, limit=200)
    if isinstance(error, httpx2.InvalidURL):
        return ToolError(f"the address on {host} is not valid: {said}", code="connection")
    failed = isinstance(error, httpx2.ConnectError)
    return ToolError(
        f"{host} {'cannot be reached' if failed else 'broke off the exchange'}: {said}",
        code="connection",
        hint="Check the host name, that the service runs, and the network, proxy and certificates.",
    )
