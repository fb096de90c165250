"""What the proxy passes on: one request, to the host that was judged."""

import asyncio
import socket

import pytest

from hermes.environments.sandbox.proxy import Allowed, Proxy

SECONDS = 5
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


async def _said(request, *, methods=("GET", "POST")):
    """Return what a host behind the proxy was told, and what the proxy answered."""
    told = []

    async def host(reader, writer):
        told.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(ANSWER)
        await writer.drain()
        try:
            async with asyncio.timeout(0.2):
                told.append(await reader.read(1000))
        except TimeoutError:
            told.append(b"")
        writer.close()

    async def check(_host, _port):
        return "127.0.0.1"

    server = await asyncio.start_server(host, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    listener = socket.create_server(("127.0.0.1", 0))
    proxy = Proxy(Allowed(("allowed.org",), methods, (port,)), check)
    address = listener.getsockname()
    await proxy.serve(listener)
    reader, writer = await asyncio.open_connection(*address)
    writer.write(request.replace("PORT", str(port)).encode("latin-1"))
    answer = await reader.read()
    writer.close()
    await proxy.close()
    server.close()
    return told, answer


def said(request, **options):
    return asyncio.run(asyncio.wait_for(_said(request, **options), SECONDS))


def test_a_request_is_passed_on():
    told, answer = said("GET http://allowed.org:PORT/a?b HTTP/1.1\r\nHost: other\r\nX: y\r\n\r\n")
    head = told[0].decode()
    assert head.startswith("GET /a?b HTTP/1.1\r\nHost: allowed.org:")
    assert "other" not in head
    assert answer == ANSWER


def test_what_belongs_to_a_request_is_passed_on_and_nothing_after_it():
    told, _ = said(
        "POST http://allowed.org:PORT/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
        "DELETE / HTTP/1.1\r\nHost: other\r\n\r\n"
    )
    assert told[1] == b"abc"


def test_no_second_request_follows_the_first():
    told, _ = said("GET http://allowed.org:PORT/ HTTP/1.1\r\n\r\nDELETE / HTTP/1.1\r\n\r\n")
    assert told[1] == b""


@pytest.mark.parametrize(
    "request_text",
    [
        "GET http://allowed.org:PORT/ HTTP/1.1\r\n Host: other\r\n\r\n",
        "GET http://allowed.org:PORT/ HTTP/1.1\r\nHost : other\r\n\r\n",
        "GET http://allowed.org:PORT/ HTTP/1.1\r\nA: b\nHost: other\r\n\r\n",
        "GET http://allowed.org:99999/ HTTP/1.1\r\n\r\n",
        "GET http://[::1 HTTP/1.1\r\n\r\n",
        "GET http://other.org\\@allowed.org:PORT\t/ HTTP/1.1\r\n\r\n",
        "GET http://other.org/ HTTP/1.1\r\n\r\n",
        "GET ftp://allowed.org/ HTTP/1.1\r\n\r\n",
        "DELETE http://allowed.org:PORT/ HTTP/1.1\r\n\r\n",
        "POST http://allowed.org:PORT/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST http://allowed.org:PORT/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST http://allowed.org:PORT/ HTTP/1.1\r\nContent-Length: -1\r\n\r\nab",
        "CONNECT other.org:443 HTTP/1.1\r\n\r\n",
        "CONNECT allowed.org:22 HTTP/1.1\r\n\r\n",
        "CONNECT a@allowed.org:PORT HTTP/1.1\r\n\r\n",
        "CONNECT allowed.org:99999 HTTP/1.1\r\n\r\n",
    ],
)
def test_a_request_that_others_could_read_differently_is_refused(request_text):
    told, answer = said(request_text)
    assert told == []
    assert answer.startswith(b"HTTP/1.1 403 ")
