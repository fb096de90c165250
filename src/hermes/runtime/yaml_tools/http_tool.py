"""Run a tool that is one HTTP request: send, follow, retry, read up to a limit, pick the answer."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import httpx2

from hermes.base.client_pool import ClientPool
from hermes.base.dialling import judged_client
from hermes.base.errors import Denied, TimedOut, ToolError, Unavailable
from hermes.base.json import NotJson, decode
from hermes.base.messages import Json
from hermes.base.retrying import retry_after
from hermes.base.text import harmless
from hermes.policy.urls import is_private
from hermes.runtime.entry import Handler
from hermes.runtime.reach import Reach
from hermes.runtime.yaml_tools.http_guard import came_from_inside, dialling
from hermes.runtime.yaml_tools.http_request import Request, basic_pair, build
from hermes.runtime.yaml_tools.scrub import Scrubber
from hermes.runtime.yaml_tools.spec.json_path import pick
from hermes.runtime.yaml_tools.spec.spec import HttpAction, Response, Retries, Secret, ToolSpec

_MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_EXCERPT = 500
_CARRIED = frozenset({"accept", "accept-language", "user-agent", "content-type"})
_HINTS = {
    400: "Check the arguments.",
    401: "A person must check the credentials in the tool's environment variables.",
    403: "A person must check the credentials in the tool's environment variables.",
    404: "Check the arguments: there is nothing at this address.",
    422: "Check the arguments.",
    429: "The service limits how often it is asked; wait before trying again.",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status, and the body up to the limit."""

    host: str
    status: int
    reason: str
    headers: httpx2.Headers
    body: bytes
    is_cut: bool
    charset: str
    is_inside: bool
    """Whether it came from this machine or a private network."""

    def text(self) -> str:
        """Return the body as text, whatever its bytes are."""
        try:
            return self.body.decode(self.charset, "replace")
        except LookupError:
            return self.body.decode("utf-8", "replace")


def handler(spec: ToolSpec, action: HttpAction, pool: ClientPool) -> Handler:
    """Return the handler of an HTTP tool."""

    async def call(args: dict[str, Json], **kw: Any) -> Json:
        secrets = {name: _secret(kw["ctx"], name) for name in spec.secrets}
        pair = basic_pair([secrets[secret.env].strip() for secret in action.auth.secrets])
        scrub = Scrubber([*secrets.values(), pair])

        def reveal(secret: Secret) -> str:
            return secrets[secret.env]

        try:
            request = build(spec, action, args, reveal)
            client = pool.client(asyncio.get_running_loop(), judged_client)
            sender = Sender(client, kw["ctx"].use(Reach), spec.response.max_bytes)
            sending = _within(spec.timeout_seconds, sender, request, action.retries)
            # A task of its own: the client cancels parts of the task it runs in when a connection
            # attempt wins or loses, and a caller that drives this coroutine must not see that.
            answer = await asyncio.ensure_future(sending)
            return _result(answer, spec.response, action.method, scrub)
        except ToolError as error:
            raise scrub.error(error) from None

    return call


def _secret(ctx: Any, name: str) -> str:
    value = ctx.secret(name)
    if not value or not value.strip():
        raise Unavailable(
            f"the environment variable {name} is not set", hint=f"A person must set {name} first."
        )
    return str(value)


class Sender(NamedTuple):
    """What sends the requests of one call."""

    client: httpx2.AsyncClient
    reach: Reach
    max_bytes: int


async def _within(seconds: float, sender: Sender, request: Request, retries: Retries) -> Answer:
    host = httpx2.URL(request.url).host
    try:
        async with asyncio.timeout(seconds) as limit:
            deadline = limit.when() or 0.0
            return await _retried(sender, request, retries, deadline)
    except TimeoutError:
        raise TimedOut(
            f"{host} did not answer within {seconds:g} s", hint="Try again later, or ask for less."
        ) from None
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
        raise _unreachable(host, error) from None


def _unreachable(host: str, error: Exception) -> ToolError:
    if isinstance(error, httpx2.InvalidURL):
        return ToolError(f"the address on {host} is not valid: {error}", code="connection")
    what = (
        "cannot be reached" if isinstance(error, httpx2.ConnectError) else "broke off the exchange"
    )
    return ToolError(
        f"{host} {what}: {harmless(str(error) or type(error).__name__, limit=200)}",
        code="connection",
        hint="Check the host name, that the service runs, and the network, proxy and certificates.",
    )


async def _retried(sender: Sender, request: Request, retries: Retries, deadline: float) -> Answer:
    for attempt in range(1, retries.attempts + 1):
        is_last = attempt == retries.attempts
        wait = retries.backoff_seconds * 2 ** (attempt - 1) * random.uniform(0.5, 1)
        try:
            answer = await _followed(sender, request)
        except httpx2.TransportError:
            if is_last or _is_past(wait, deadline):
                raise
        else:
            if is_last or answer.status not in retries.on:
                return answer
            asked = retry_after(answer.headers.get("retry-after"), time.time())
            wait = wait if asked is None else asked
            if _is_past(wait, deadline):
                return answer
        await asyncio.sleep(wait)
    raise AssertionError("the last attempt returns or raises")


def _is_past(wait: float, deadline: float) -> bool:
    return asyncio.get_running_loop().time() + wait >= deadline


async def _followed(sender: Sender, request: Request) -> Answer:
    """Send a request and go where the answers send it.

    A private host that the tool's file names is open; what answers from outside opens nothing.
    """
    opens = sender.reach.allows_private or is_private(httpx2.URL(request.url).host)
    answer = await _exchange(sender, request, opens=opens)
    for _ in range(_MAX_REDIRECTS):
        location = answer.headers.get("location")
        if answer.status not in _REDIRECTS or not location:
            return answer
        here, request = answer.host, redirected(request, answer.status, location)
        opens = opens and answer.is_inside
        try:
            answer = await _exchange(sender, request, opens=opens)
        except Denied as denied:
            message = f"{here} redirects to a place that is not followed: {denied.message}"
            raise ToolError(message, code="redirects") from None
    if answer.status in _REDIRECTS and answer.headers.get("location"):
        message = f"{answer.host} redirects more than {_MAX_REDIRECTS} times"
        raise ToolError(message, code="redirects")
    return answer


def redirected(request: Request, status: int, location: str) -> Request:
    """Return the request that a redirect asks for; credentials never leave for another origin.

    Raises:
        ToolError: it leads away from the web, or would take the body to another origin.
    """
    here = httpx2.URL(request.url)
    there = here.join(location)
    if there.scheme not in {"http", "https"} or there.userinfo:
        raise ToolError(
            f"{here.host} redirects to an address that is not followed", code="redirects"
        )
    keeps = status in {307, 308} or request.method in {"GET", "HEAD", "OPTIONS"}
    method = request.method if keeps else "GET"
    content = request.content if keeps else None
    onward = replace(request, method=method, content=content, url=str(there))
    if _origin(here) == _origin(there):
        return onward
    if content:
        raise ToolError(
            f"{here.host} redirects to {there.host}, which may not be sent the request's content",
            code="redirects",
            hint="A person must put the new address into the tool's endpoint.",
        )
    carried = tuple(pair for pair in request.headers if pair[0].lower() in _CARRIED)
    names = {name for name, _ in request.secret_query}
    params = [pair for pair in there.params.multi_items() if pair[0] not in names]
    clean = (
        there.copy_with(params=params) if len(params) < len(there.params.multi_items()) else there
    )
    return replace(onward, headers=carried, secret_headers=(), secret_query=(), url=str(clean))


def _origin(url: httpx2.URL) -> tuple[str, str, int]:
    return url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80)


async def _exchange(sender: Sender, request: Request, *, opens: bool) -> Answer:
    url = httpx2.URL(request.url)
    extensions = {}
    if request.secret_query:  # kept out of the address, which libraries write into their logs
        joint = b"&" if url.query else b"?"
        extensions["target"] = url.raw_path + joint + request.secret_target.encode()
    headers = [
        (name.encode(), value.encode("utf-8", "replace"))
        for name, value in (*request.headers, *request.secret_headers)
    ]
    message = sender.client.build_request(
        request.method, url, headers=headers, content=request.content, extensions=extensions
    )
    with dialling(request.url, sender.reach, opens=opens):
        response = await sender.client.send(message, stream=True)
    try:
        is_inside = came_from_inside(response)
        body, is_cut = await _read(response, sender.max_bytes)
    finally:
        await response.aclose()
    return Answer(
        host=url.host,
        status=response.status_code,
        reason=response.reason_phrase,
        headers=response.headers,
        body=body,
        is_cut=is_cut,
        charset=response.charset_encoding or "utf-8",
        is_inside=is_inside,
    )


async def _read(response: httpx2.Response, max_bytes: int) -> tuple[bytes, bool]:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > max_bytes:
            return bytes(body[:max_bytes]), True
    return bytes(body), False


def _result(answer: Answer, response: Response, method: str, scrub: Scrubber) -> Json:
    if not 200 <= answer.status < 300:
        raise _refused(answer, scrub)
    if method == "HEAD":
        return scrub.value({"status": answer.status, "headers": dict(answer.headers.items())})
    if response.format == "text":
        text = answer.text()
        return {
            "text": scrub.head(text) if answer.is_cut else scrub.text(text),
            "truncated": answer.is_cut,
        }
    if not answer.body.strip():
        return {"status": answer.status}
    return scrub.value(pick(_json(answer, response, scrub), response.path))


def _json(answer: Answer, response: Response, scrub: Scrubber) -> Json:
    if answer.is_cut:
        raise ToolError(
            f"the answer of {answer.host} is larger than {response.max_bytes:,} bytes",
            code="too_large",
            hint="Ask for less; a person may raise response.max_bytes in the tool's file.",
        )
    try:
        return decode(answer.text())
    except NotJson as error:
        kind = answer.headers.get("content-type", "something")
        raise ToolError(
            f"{answer.host} answered {kind}, which is not JSON: {_excerpt(answer, scrub)}",
            code="not_json",
            hint="A person may set `response: {format: text}` in the tool's file.",
        ) from error


def _refused(answer: Answer, scrub: Scrubber) -> ToolError:
    said = _excerpt(answer, scrub)
    hint = _HINTS.get(answer.status) or ("Try again later." if answer.status >= 500 else None)
    return ToolError(
        f"{answer.host} answered {answer.status} {answer.reason}".rstrip()
        + (f": {said}" if said else ""),
        code="http_status",
        hint=hint,
        status=answer.status,
    )


def _excerpt(answer: Answer, scrub: Scrubber) -> str:
    return harmless(scrub.head(answer.text()), limit=_EXCERPT)
