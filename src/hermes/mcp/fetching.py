"""Post JSON over HTTP for what asks services about servers; loaded when one is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx2

from hermes.mcp.advisories import Fetch

_LARGEST = 8_000_000


def poster(client_of: Callable[[], httpx2.AsyncClient]) -> Fetch:
    """Return what posts JSON and gives the object that is answered.

    ``client_of`` makes the client of one request, which is closed after it; its transport judges
    the address. Redirects are not followed.
    """

    async def post(url: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            async with (
                client_of() as client,
                client.stream("POST", url, json=dict(body), follow_redirects=False) as response,
            ):
                if response.status_code != httpx2.codes.OK:
                    raise ValueError(f"{url} answers HTTP {response.status_code}")
                return _object(url, await _read(url, response))
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as error:
            raise OSError(f"{url} cannot be reached: {error or type(error).__name__}") from error

    return post


async def _read(url: str, response: httpx2.Response) -> bytes:
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _LARGEST:
            raise ValueError(f"{url} answers with more than {_LARGEST:,} bytes")
    return bytes(body)


def _object(url: str, body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{url} answers with what is no JSON") from error
    if not isinstance(value, dict):
        raise ValueError(f"{url} answers with what is no object")
    return value
