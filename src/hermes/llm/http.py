"""Put one question over HTTP and give back the JSON of its answer, event by event."""

from __future__ import annotations

import asyncio
import json
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx2

from hermes.base.json import NotJson, decode, encode_bytes, plain
from hermes.base.messages import Json
from hermes.base.redact import Redactor
from hermes.base.text import harmless
from hermes.llm.contract import ModelError
from hermes.llm.endpoint import DONE, Endpoint, Patience
from hermes.llm.sse import Event, Events, TooLong
from hermes.llm.troubles import Failed, Refusal, failed, of_status

# a proxy of a kind that is not installed raises ImportError
_BREAKS = (
    httpx2.HTTPError,
    httpx2.StreamError,
    httpx2.InvalidURL,
    ImportError,
    OSError,
    ValueError,
)
_CONNECT_SECONDS = 10.0
_DRAIN_SECONDS = 0.2
_LARGEST_ANSWER = 64_000_000
_LARGEST_REFUSAL = 64_000
_MOVED = "Nothing was sent there: the key is not for others. Set the address to where the API is."


class Wire:
    """Ask one service; connections are opened on the loop that asks, and kept there."""

    def __init__(self, endpoint: Endpoint, patience: Patience) -> None:
        self.endpoint = endpoint
        self._patience = patience
        self._redactor = Redactor({"API key": endpoint.key} if endpoint.key else None)
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, httpx2.AsyncClient] = (
            weakref.WeakKeyDictionary()
        )

    def _client(self) -> httpx2.AsyncClient:
        key = self.endpoint.key
        if not (key.isascii() and key.isprintable()):
            raise failed("key", "the key holds characters that no key has", may_pass=False)
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            silence = self._patience.silence_seconds
            timeout = httpx2.Timeout(silence, connect=min(_CONNECT_SECONDS, silence))
            # a proxy is for other machines: it would look for the server on its own
            trusts = not _is_here(self.endpoint.url)
            client = self._clients[loop] = httpx2.AsyncClient(timeout=timeout, trust_env=trusts)
        return client

    async def close(self) -> None:
        """Close the connections of the running loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    async def stream(
        self, path: str, headers: Mapping[str, str], body: Json
    ) -> AsyncGenerator[Json, None]:
        """Yield the JSON of an answer as it comes; ``DONE`` where the service says so.

        A service that does not stream yields its one answer.

        Raises:
            Failed: there is no answer, or no more of it.
        """
        limit = asyncio.get_running_loop().time() + self._patience.answer_seconds
        has_begun = False
        try:
            async with self._sent("POST", path, headers, encode_bytes(body)) as response:
                await self._check(response)
                has_begun = True
                async for event in _events(response, limit):
                    yield event
        except Failed as failure:
            raise self.clean(failure) from None
        except _BREAKS as error:
            raise self.clean(_broken(self.endpoint.host, error, has_begun=has_begun)) from None

    @asynccontextmanager
    async def _sent(
        self, method: str, path: str, headers: Mapping[str, str], content: bytes | None
    ) -> AsyncIterator[httpx2.Response]:
        """Send a request, and once more at once if the service had closed the old connection."""
        base = self.endpoint.root if path.startswith("/") else self.endpoint.url
        url = f"{base.rstrip('/')}/{path.lstrip('/')}"
        kind = {"content-type": "application/json"} if content is not None else {}
        client = self._client()
        request = client.build_request(method, url, headers={**kind, **headers}, content=content)
        try:
            response = await client.send(request, stream=True)
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
            response = await client.send(request, stream=True)
        try:
            yield response
        finally:
            await response.aclose()

    async def fetch(self, path: str, headers: Mapping[str, str], body: Json = None) -> Json:
        """Return the JSON that stands beneath the service's address, or with ``/`` on its host.

        Raises:
            Failed: there is none.
        """
        content = None if body is None else encode_bytes(body)
        method = "GET" if body is None else "POST"
        try:
            async with self._sent(method, path, headers, content) as response:
                await self._check(response)
                return decode(await _read(response, _LARGEST_ANSWER))
        except Failed as failure:
            raise self.clean(failure) from None
        except _BREAKS as error:
            raise self.clean(_broken(self.endpoint.host, error, has_begun=False)) from None

    async def _check(self, response: httpx2.Response) -> None:
        if response.status_code < 300:
            return
        who = self.endpoint.host
        if response.status_code < 400:
            there = harmless(response.headers.get("location", "nowhere"), limit=200)
            message = f"{who} answered {response.status_code}: it has moved to {there}"
            raise failed("refused", message, status=response.status_code, hint=_MOVED)
        said = (await _read(response, _LARGEST_REFUSAL)).decode("utf-8", "replace")
        raise of_status(who, Refusal(response.status_code, response.headers, said))

    def clean(self, failure: Failed) -> Failed:
        """Return the failure without any key in its words."""
        error = failure.error
        clean = ModelError(
            self._redactor.text(error.message),
            trouble=error.trouble,
            hint=error.hint,
            wait_seconds=error.wait_seconds,
        )
        return Failed(clean, may_pass=failure.may_pass, status=failure.status)


def _is_here(url: str) -> bool:
    """Say whether an address is of this very machine."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return host in {"localhost", "::1"} or host.startswith("127.")


async def _read(response: httpx2.Response, limit: int) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > limit:
            break
    return bytes(body[:limit])


async def _events(response: httpx2.Response, limit: float) -> AsyncIterator[Json]:
    """Yield the events of a stream, or the one answer of a service that does not stream."""
    reader, chunks = _Answer(), response.aiter_bytes()
    async for chunk in chunks:
        if asyncio.get_running_loop().time() > limit:
            raise failed("cut", "the answer took longer than it may", may_pass=False)
        for event in reader.feed(chunk):
            yield event
            if event is DONE:
                await _drain(chunks)
                return
    for event in reader.close():
        yield event


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read what is left, so that the connection can be used again; a slow end is not worth it."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in chunks:
                pass
    except (TimeoutError, httpx2.HTTPError):
        return


class _Answer:
    """What has come of an answer so far: events, or one JSON value in pieces."""

    def __init__(self) -> None:
        self._events = Events()
        self._whole: bytearray | None = None
        self._is_known = False
        self._is_read = False
        self._size = 0
        self._oddity = ""

    def feed(self, chunk: bytes) -> list[Json]:
        self._size += len(chunk)
        if self._size > _LARGEST_ANSWER:
            raise failed("unreadable", "the answer is larger than any can be", may_pass=False)
        if not self._is_known and chunk.strip():
            self._is_known = True
            start = chunk.lstrip()[:1]
            if start == b"<":
                raise failed("unreadable", "a web page came in place of an answer")
            if start in {b"{", b"["}:
                self._whole = bytearray()
        if self._whole is not None:
            self._whole += chunk
            return []
        try:
            return self._decoded(self._events.feed(chunk))
        except TooLong as error:
            raise failed("unreadable", f"the answer cannot be read: {error}") from None

    def close(self) -> list[Json]:
        if self._whole is not None:
            found = self._closed_whole(bytes(self._whole))
        else:
            found = self._decoded(self._events.close())
        if not self._is_read and not found:
            seen = f", only {harmless(self._oddity, limit=120)!r}" if self._oddity else ""
            raise failed("unreadable", f"the answer holds nothing that can be read{seen}")
        return found

    def _closed_whole(self, body: bytes) -> list[Json]:
        try:
            answer = _value(body)
        except NotJson:  # then each line may be one, as some servers stream
            return self._decoded([*self._events.feed(body), *self._events.close()])
        return answer if isinstance(answer, list) else [answer]

    def _decoded(self, events: list[Event]) -> list[Json]:
        found: list[Json] = []
        for event in events:
            if event.data.strip() == "[DONE]":
                found.append(DONE)
                continue
            try:
                value = _value(event.data)
            except NotJson:
                self._oddity = self._oddity or event.data
                continue
            if isinstance(value, dict):
                if event.name and "type" not in value:
                    value["type"] = event.name
                found.append(value)
        self._is_read = self._is_read or bool(found)
        return found


def _value(text: str | bytes) -> Json:
    """Return a JSON value; half characters, as a cut emoji leaves them, and NaN cost only that.

    Raises:
        NotJson: it is none.
    """
    try:
        return decode(text)
    except NotJson:
        try:
            return plain(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise NotJson(str(error)) from error


def _broken(host: str, error: Exception, *, has_begun: bool) -> Failed:
    """Return the failure that an error of the connection stands for."""
    said = harmless(str(error) or type(error).__name__, limit=200)
    match error:
        case httpx2.UnsupportedProtocol() | httpx2.InvalidURL():
            return failed("refused", f"{host} is not an address that can be asked: {said}")
        case httpx2.ConnectTimeout() | httpx2.PoolTimeout():
            return failed("unreachable", f"{host} does not let us in: no connection in time")
        case httpx2.TimeoutException():
            what = "fell silent in the midst of its answer" if has_begun else "does not answer"
            return failed("cut" if has_begun else "busy", f"{host} {what}")
        case httpx2.DecodingError() | NotJson():
            return failed("unreadable", f"{host} sent what cannot be read: {said}")
        case httpx2.HTTPError() | httpx2.StreamError() | OSError():
            if has_begun:
                return failed("cut", f"{host} closed the connection before the answer was whole")
            return failed("unreachable", f"{host} cannot be reached: {said}")
    return failed("refused", f"{host} cannot be asked: {said}")
