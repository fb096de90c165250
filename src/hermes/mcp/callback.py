"""Wait on loopback for the one answer that a browser brings back from signing in."""

from __future__ import annotations

import asyncio
import html
import secrets
import socket
from collections.abc import Mapping
from typing import NamedTuple, Self
from urllib.parse import parse_qsl, urlsplit

from hermes.base.errors import HermesError
from hermes.base.text import harmless

_PATH = "/callback"
_LONGEST_REQUEST = 16_384
_READ_SECONDS = 10.0
_HEADERS = (
    "Content-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\n"
    "Content-Security-Policy: default-src 'none'\r\nReferrer-Policy: no-referrer\r\n"
    "Connection: close\r\n"
)


class Answered(NamedTuple):
    """What the browser brought."""

    code: str
    state: str
    issuer: str | None


class Callback:
    """Listen on a loopback port until one answer with the right state has come.

    An answer with another state, to another path or under another host's name is turned away and
    changes nothing, so that no page that is open in the browser can end a login or slip in a code.
    """

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self.port: int = listener.getsockname()[1]
        self._state: str | None = None
        self._answer: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        self._server: asyncio.Server | None = None

    @classmethod
    def bound(cls, port: int = 0) -> Self:
        """Take the port, or any that is free where it is taken."""
        try:
            return cls(socket.create_server(("127.0.0.1", port)))
        except OSError:
            if not port:
                raise
            return cls(socket.create_server(("127.0.0.1", 0)))

    @property
    def uri(self) -> str:
        """The address that the browser is sent back to."""
        return f"http://127.0.0.1:{self.port}{_PATH}"

    async def expect(self, state: str) -> None:
        """Begin to listen for the answer of one login."""
        self._state = state
        self._server = await asyncio.start_server(
            self._serve, sock=self._listener, limit=_LONGEST_REQUEST
        )

    async def answer(self, seconds: float) -> Answered:
        """Wait for the answer.

        Raises:
            HermesError: it did not come in time, or it is a refusal.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._answer
        except TimeoutError:
            raise HermesError(
                f"nobody signed in within {seconds:.0f} seconds", hint="Try it again."
            ) from None

    async def close(self) -> None:
        """Stop listening."""
        if not self._answer.done():
            self._answer.cancel()
        if self._server is not None:
            self._server.close()
        self._listener.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_READ_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                status, words = self._judged(head.decode("latin-1"))
                writer.write(_page(status, words))
                await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # whoever it was does not want an answer
        finally:
            writer.close()

    def _judged(self, head: str) -> tuple[str, str]:
        """Return the status and the words for a request, and take its answer if it is the one."""
        first, *lines = head.split("\r\n")
        method, _, target = first.partition(" ")
        url = urlsplit(target.rpartition(" ")[0])
        headers = {name.strip().lower(): value.strip() for name, _, value in _pairs(lines)}
        if not self._is_for_us(method, url.path, headers):
            return "404 Not Found", "There is nothing here."
        given = dict(parse_qsl(url.query, keep_blank_values=True))
        state = given.get("state", "")
        if self._state is None or not secrets.compare_digest(state.encode(), self._state.encode()):
            return "400 Bad Request", "This does not belong to the login that is under way."
        if self._answer.done():
            return "410 Gone", "This login has been answered already."
        return self._taken(given)

    def _is_for_us(self, method: str, path: str, headers: Mapping[str, str]) -> bool:
        hosts = {f"127.0.0.1:{self.port}", f"localhost:{self.port}"}
        return method == "GET" and path == _PATH and headers.get("host", "") in hosts

    def _taken(self, given: Mapping[str, str]) -> tuple[str, str]:
        if "error" in given or not given.get("code"):
            why = " ".join(filter(None, (given.get("error"), given.get("error_description"))))
            words = harmless(why or "it brought no code", limit=300)
            self._answer.set_exception(HermesError(f"signing in was refused: {words}"))
            return "200 OK", f"Signing in was refused: {words}. You can close this page."
        self._answer.set_result(Answered(given["code"], given["state"], given.get("iss")))
        return "200 OK", "You are signed in. You can close this page and go back to hermes."


def _pairs(lines: list[str]) -> list[tuple[str, str, str]]:
    return [line.partition(":") for line in lines if ":" in line]


def _page(status: str, words: str) -> bytes:
    body = f"<!doctype html><title>hermes</title><p>{html.escape(words)}</p>".encode()
    return f"HTTP/1.1 {status}\r\n{_HEADERS}Content-Length: {len(body)}\r\n\r\n".encode() + body
