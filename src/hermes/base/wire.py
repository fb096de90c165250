"""One TCP connection of the HTTP client, on the running loop and on nothing between the two."""

from __future__ import annotations

import asyncio
import contextlib
import select
import ssl
from collections.abc import Iterable, Iterator
from typing import Any

import httpcore2

_MOST_UNREAD = 256 << 10
_INFO = {"ssl_object": "ssl_object", "client_addr": "sockname", "server_addr": "peername"}


class _Ends(asyncio.Protocol):
    """What came in and was not read yet, and who waits for either direction."""

    def __init__(self) -> None:
        self.unread = bytearray()
        self.transport: asyncio.Transport | None = None
        self.is_over = False
        self.error: Exception | None = None
        self.reader: asyncio.Future[None] | None = None
        self.writer: asyncio.Future[None] | None = None
        self.is_full = False

    def data_received(self, data: bytes) -> None:
        self.unread += data
        self.regulate()
        _wake(self.reader)

    def regulate(self) -> None:
        """Have the other side wait while more has come than anybody reads."""
        if self.transport is None or self.transport.is_closing():
            return
        if len(self.unread) > _MOST_UNREAD:
            self.transport.pause_reading()
        elif not self.transport.is_reading():
            self.transport.resume_reading()

    def eof_received(self) -> None:
        self.is_over = True
        _wake(self.reader)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_over, self.is_full, self.error = True, False, error
        _wake(self.reader)
        _wake(self.writer)

    def pause_writing(self) -> None:
        self.is_full = True

    def resume_writing(self) -> None:
        self.is_full = False
        _wake(self.writer)


def _wake(waiter: asyncio.Future[None] | None) -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)


class Wire(httpcore2.AsyncNetworkStream):
    """Bytes to and from one address; one reads and one writes at a time."""

    def __init__(self, transport: asyncio.Transport, ends: _Ends) -> None:
        self._transport, self._ends = transport, ends
        ends.transport = transport

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - the library's own signature
        """Return what has come, as soon as anything has; nothing at the end."""
        ends = self._ends
        with _said(httpcore2.ReadTimeout, httpcore2.ReadError):
            while not ends.unread:
                if ends.error is not None:
                    raise httpcore2.ReadError(str(ends.error) or "the connection broke")
                if ends.is_over:
                    return b""
                ends.reader = asyncio.get_running_loop().create_future()
                await _within(ends.reader, timeout)
        data = bytes(ends.unread[:max_bytes])
        del ends.unread[:max_bytes]
        ends.regulate()
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - the library's own signature
        """Send bytes; wait while the other side takes no more."""
        ends = self._ends
        if not buffer:
            return
        with _said(httpcore2.WriteTimeout, httpcore2.WriteError):
            if ends.is_over or self._transport.is_closing():
                raise httpcore2.WriteError(str(ends.error or "the other side has hung up"))
            self._transport.write(buffer)
            while ends.is_full:
                ends.writer = asyncio.get_running_loop().create_future()
                await _within(ends.writer, timeout)
            if ends.error is not None:
                raise httpcore2.WriteError(str(ends.error))

    async def aclose(self) -> None:
        """Hang up."""
        self._transport.abort()
        await asyncio.sleep(0)  # the loop lets go of the socket in its next round

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's own signature
    ) -> httpcore2.AsyncNetworkStream:
        """Go on in secret, once the other side has shown who it is."""
        with _said(httpcore2.ConnectTimeout, httpcore2.ConnectError):
            try:
                secret = await asyncio.get_running_loop().start_tls(
                    self._transport,
                    self._ends,
                    ssl_context,
                    server_hostname=server_hostname,
                    ssl_handshake_timeout=timeout,
                )
            except BaseException:
                self._transport.abort()
                raise
        if secret is None:
            raise httpcore2.ConnectError("the other side hung up before it had shown who it is")
        return Wire(secret, self._ends)

    def get_extra_info(self, info: str) -> Any:
        """Return what is known of the connection, in the library's words."""
        if info == "is_readable":
            return bool(self._ends.unread) or self._ends.is_over or self._has_news()
        return self._transport.get_extra_info(_INFO.get(info, info))

    def _has_news(self) -> bool:
        """Look whether anything has come that the loop has not seen: then nobody asked for it."""
        socket = self._transport.get_extra_info("socket")
        if socket is None or self._transport.is_closing():
            return True
        waiting = select.poll()
        waiting.register(socket.fileno(), select.POLLIN)
        return bool(waiting.poll(0))


async def connect(
    address: str,
    port: int,
    timeout: float | None = None,  # noqa: ASYNC109 - the library's own signature
    local_address: str | None = None,
    options: Iterable[Any] | None = None,
) -> httpcore2.AsyncNetworkStream:
    """Return a connection to an address.

    Raises:
        httpcore2.ConnectError: nothing answers there.
        httpcore2.ConnectTimeout: nothing answered in time.
    """
    own = (local_address, 0) if local_address else None
    with _said(httpcore2.ConnectTimeout, httpcore2.ConnectError):
        async with asyncio.timeout(timeout):
            transport, ends = await asyncio.get_running_loop().create_connection(
                _Ends, address, port, local_addr=own
            )
    socket = transport.get_extra_info("socket")
    for option in options or ():
        socket.setsockopt(*option)
    return Wire(transport, ends)


async def _within(waiter: asyncio.Future[None], seconds: float | None) -> None:
    if seconds is None:
        await waiter
        return
    async with asyncio.timeout(seconds):
        await waiter


@contextlib.contextmanager
def _said(late: type[Exception], broken: type[Exception]) -> Iterator[None]:
    """Tell what went wrong in the library's words."""
    try:
        yield
    except TimeoutError as error:
        raise late(str(error)) from error
    except (OSError, ssl.SSLError) as error:
        raise broken(str(error)) from error
