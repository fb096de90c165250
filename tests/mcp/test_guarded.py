import asyncio

import httpx2
import pytest
from tests.mcp.fixtures.http_server import Server

from hermes.base.errors import Denied
from hermes.mcp.guarded import guarded_client
from hermes.runtime.reach import Reach


@pytest.fixture
def server():
    made = Server()
    yield made
    made.end()


def fetch(named, url, *, reach=None, largest=1_000):
    async def go():
        client = guarded_client(httpx2.AsyncClient(timeout=5), named, reach or Reach(), largest)
        async with client:
            return await client.get(url)

    return asyncio.run(go())


def test_the_host_that_a_person_named_is_reached_though_it_is_this_machine(server):
    assert fetch(server.url, server.url).status_code == 405


def test_other_hosts_of_this_machine_are_not_unless_the_settings_open_them(server):
    with pytest.raises(Denied):
        fetch("http://127.0.0.1:1/mcp", server.url)
    with pytest.raises(Denied):
        fetch("https://example.com/mcp", server.url)
    assert fetch("https://example.com/mcp", server.url, reach=Reach(True)).status_code == 405


def test_addresses_of_metadata_are_never_reached():
    with pytest.raises(Denied):
        fetch("http://169.254.169.254/mcp", "http://169.254.169.254/mcp", reach=Reach(True))


def test_a_body_that_is_too_long_breaks_off(server):
    server.refusing = 0

    async def go():
        client = guarded_client(httpx2.AsyncClient(timeout=5), server.url, Reach(), 10)
        async with client:
            asked = {"jsonrpc": "2.0", "id": 1, "method": "server/discover"}
            await client.post(server.url, json=asked)

    with pytest.raises(httpx2.StreamError, match="more than 10 bytes"):
        asyncio.run(go())
