"""Let boxed programs reach allowed hosts and nothing else.

The proxy listens on a socket that was opened inside the box's own network namespace and handed out,
so nothing of it runs in there. Names are resolved and judged outside, and the address that was
judged is the one that is connected to.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

Check = Callable[[str, int], Awaitable[str]]
"""Return the address to connect to for a host and port, or raise an exception that says why not."""

_LARGEST_HEAD = 64 * 1024
_HEAD_SECONDS = 30.0
_CONNECT_SECONDS = 30.0
_PART = 1 << 16
_MOST_REFUSED = 20
_LENGTH = "content-length:"
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\0]*")
_PLAIN_ADDRESS = re.compile(r"[!-~]+")
_HOP_BY_HOP = frozenset(("proxy-authorization", "proxy-connection", "connection", "keep-alive"))


class _Refused(Exception):
    """A request that the proxy does not pass on."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """Which hosts may be reached, and how in plain HTTP; ``*.x.org`` means all beneath x.org."""

    hosts: tuple[str, ...] = ()
    methods: tuple[str, ...] = ("GET", "HEAD")
    ports: Collection[int] = (80, 443)

    def lets_reach(self, host: str, port: int) -> bool:
        """Say whether a host may be reached on a port."""
        name = host.lower().rstrip(".")
        return port in self.ports and any(_matches(name, rule) for rule in self.hosts)


class Proxy:
    """Answer the requests that come in on listening sockets."""

    def __init__(self, allowed: Allowed, check: Check) -> None:
        self._allowed = allowed
        self._check = check
        self._servers: list[asyncio.Server] = []
        self.refused: dict[str, None] = {}
        """What was not passed on, each once and in order."""
        self._failed: dict[str, Exception] = {}
        self._answering: set[asyncio.Task[Any]] = set()  # the loop alone does not hold them
        self._open: set[asyncio.StreamWriter] = set()

    def told(self) -> tuple[str, ...]:
        """Return what was not passed on since this was asked last."""
        refused, self.refused = self.refused, {}
        return tuple(refused)

    def failed(self) -> dict[str, Exception]:
        """Return why hosts could not be reached since this was asked last."""
        failed, self._failed = self._failed, {}
        return failed

    async def serve(self, listener: socket.socket) -> None:
        """Answer on a socket that listens already, until closed."""
        listener.setblocking(False)
        server = await asyncio.start_server(
            self._answer, sock=listener, limit=_LARGEST_HEAD, start_serving=False
        )
        self._servers.append(server)  # before it waits, so that close finds it
        await server.start_serving()

    async def close(self) -> None:
        """Stop answering."""
        for server in self._servers:
            server.close()
        self._servers.clear()
        for writer in self._open:
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        self._open.add(writer)
        try:
            async with asyncio.timeout(_HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            await self._pass_on(head, reader, writer)
        except _Refused as error:
            if len(self.refused) < _MOST_REFUSED:
                self.refused[str(error)] = None
            await _say(writer, "403 Forbidden", f"hermes proxy: {error}")
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            await _say(writer, "502 Bad Gateway", "hermes proxy: the host could not be reached")
        finally:
            self._open.discard(writer)
            writer.close()

    async def _pass_on(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        method, target, lines = _parsed(head)
        if method == "CONNECT":
            host, port = _authority(target, default=443)
            first, most = b"", None
        else:
            host, port, first = self._plain(method, target, lines)
            most = _length(lines)
        theirs = await self._connect(host, port)
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        self._open.add(theirs[1])
        try:
            theirs[1].write(first)
            await _join((reader, writer), theirs, most)
        finally:
            self._open.discard(theirs[1])

    def _plain(self, method: str, target: str, lines: Sequence[str]) -> tuple[str, int, bytes]:
        """Return host, port and the head to send on for a request in plain HTTP."""
        if method not in self._allowed.methods:
            raise _Refused(f"the method {method} is not allowed")
        parts = _address(target)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        kept = [line for line in lines if line.partition(":")[0].lower() not in _HOP_BY_HOP]
        kept = [line for line in kept if not line.lower().startswith("host:")]
        text = [f"{method} {path} HTTP/1.1", f"Host: {parts.netloc.rpartition('@')[2]}", *kept]
        text += ["Connection: close", "", ""]
        return str(parts.hostname), parts.port or 80, "\r\n".join(text).encode("latin-1")

    async def _connect(
        self, host: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if not self._allowed.lets_reach(host, port):
            raise _Refused(f"{host}:{port} is not among the allowed hosts")
        try:
            address = await self._address(host, port)
            async with asyncio.timeout(_CONNECT_SECONDS):
                return await asyncio.open_connection(address, port)
        except OSError as error:
            if len(self._failed) < _MOST_REFUSED:
                self._failed[f"{host}:{port}"] = error
            raise

    async def _address(self, host: str, port: int) -> str:
        try:
            return await self._check(host, port)
        except socket.gaierror:
            raise
        except Exception as error:  # whatever a check raises means no
            raise _Refused(f"{host}:{port} is refused: {error}") from error


def _matches(name: str, rule: str) -> bool:
    wanted = rule.lower().rstrip(".")
    if wanted.startswith("*."):
        return name.endswith(wanted[1:])
    return wanted in {"*", name}


def _parsed(head: bytes) -> tuple[str, str, list[str]]:
    first, *lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not all(map(_HEADER.fullmatch, lines)):
        raise _Refused("that is not an HTTP request")
    return words[0].upper(), words[1], lines


def _address(target: str) -> SplitResult:
    """Take an http address apart; whoever reads it after us must see the same host."""
    try:
        parts = urlsplit(target)
        is_http = parts.scheme == "http" and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_http = False
    if not is_http or not _PLAIN_ADDRESS.fullmatch(target):
        raise _Refused("only http addresses and CONNECT are passed on")
    return parts


def _length(lines: Sequence[str]) -> int:
    """Return how many bytes of a request follow its head."""
    names = [line.partition(":")[0].lower() for line in lines]
    lengths = {line.partition(":")[2].strip() for line in lines if line[:15].lower() == _LENGTH}
    if "transfer-encoding" in names or len(lengths) > 1:
        raise _Refused("only requests of a known length are passed on")
    text = lengths.pop() if lengths else "0"
    if not text.isdecimal():
        raise _Refused("only requests of a known length are passed on")
    return int(text)


def _authority(target: str, *, default: int) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{target}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _Refused("that is not a host and a port") from None
    if not host or parts.username is not None or parts.path or parts.query:
        raise _Refused("that is not a host and a port")
    return host, port or default


async def _say(writer: asyncio.StreamWriter, status: str, text: str) -> None:
    body = f"{text}\n".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
    with contextlib.suppress(OSError):
        writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
        await writer.drain()


async def _join(
    ours: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    theirs: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    most: int | None,
) -> None:
    """Carry bytes both ways until both sides are done, and no second request after the first."""
    try:
        await asyncio.gather(_carry(ours[0], theirs[1], most), _carry(theirs[0], ours[1]))
    finally:
        theirs[1].close()


async def _carry(
    source: asyncio.StreamReader, target: asyncio.StreamWriter, most: int | None = None
) -> None:
    """Carry bytes until no more come, or until so many have."""
    left = _PART if most is None else most
    with contextlib.suppress(OSError):
        while left and (part := await source.read(min(left, _PART))):
            left -= 0 if most is None else len(part)
            target.write(part)
            await target.drain()
        if most is None and target.can_write_eof():
            target.write_eof()
