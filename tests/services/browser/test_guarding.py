"""Requests of a browser that runs elsewhere, judged by their addresses and by what names lead to."""

from __future__ import annotations

import asyncio
import types

import pytest

from hermes.services.browser.guarding import Guard

NAMES = {
    "inside.example": ["10.0.0.7"],
    "mixed.example": ["93.184.216.34", "127.0.0.1"],
    "outside.example": ["93.184.216.34"],
}


class Route:
    def __init__(self, url):
        self.request = types.SimpleNamespace(url=url)
        self.done = ""

    async def continue_(self):
        self.done = "went on"

    async def abort(self, why):
        self.done = why


async def resolve(host, port):
    if host not in NAMES:
        raise OSError(host)
    return NAMES[host]


@pytest.mark.parametrize(
    ("host", "done"),
    [
        ("inside.example", "blockedbyclient"),
        ("mixed.example", "blockedbyclient"),
        ("outside.example", "went on"),
        ("known-elsewhere.example", "went on"),
        ("127.0.0.1", "blockedbyclient"),
    ],
)
def test_a_name_that_leads_into_a_closed_place_is_kept_away(host, done):
    guard = Guard(frozenset, resolve)
    route = Route(f"http://{host}/")
    asyncio.run(guard._check(route))
    assert route.done == done
    assert (host in str(guard.refused())) == (done != "went on")
