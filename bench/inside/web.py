"""The web tools beside the bare libraries, on a site of this machine."""

from __future__ import annotations

import asyncio
import json
import logging
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx2
import trafilatura

from bench.harness import interleave, interleave_async
from hermes import Runtime
from hermes.services.web.extract.articles import read

PAGES = 100
PAUSE_SECONDS = 0.05
"""How long the site thinks about each page of the crawl."""
WORDS = "The committee met on Tuesday to discuss the harbour, its cranes and the new bridge. "


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet an answer: two would have every client wait for the second
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        number = int(self.path[2:]) if self.path[1:2] == "p" else -1
        if self.path == "/small":
            body, kind = b'{"ok": true}', "application/json"
        elif number >= 0:
            time.sleep(PAUSE_SECONDS)
            links = "".join(f'<a href="/p{10 * number + n}">x</a>' for n in range(1, 11))
            body, kind = f"<title>{number}</title><p>{WORDS * 5}</p>{links}".encode(), "text/html"
        else:
            self.send_response(404)
            self.send_header("content-length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


def _serve() -> tuple[ThreadingHTTPServer, str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}"


def requests(rounds: int, calls: int) -> dict:
    """Return seconds of many requests by the bare client and by the tool."""
    return asyncio.run(_requests(rounds, min(calls, 200)))


async def _requests(rounds: int, calls: int) -> dict:
    server, root = _serve()
    config = {"urls": {"allow_private": True}}
    with tempfile.TemporaryDirectory() as folder:
        async with Runtime(cwd=folder, config=config) as rt, httpx2.AsyncClient() as client:

            async def bare() -> None:
                for _ in range(calls):
                    answer = await client.get(f"{root}/small")
                    json.loads(answer.content)

            async def ours() -> None:
                for _ in range(calls):
                    await rt.call("http_request", {"url": f"{root}/small"})

            await bare()
            await ours()
            times = await interleave_async(rounds, [bare, ours])
    server.shutdown()
    return {"bare": times[0], "ours": times[1]}


def crawl(rounds: int) -> dict:
    """Return seconds of a crawl and of asking for the same pages one after the other."""
    return asyncio.run(_crawl(rounds))


async def _crawl(rounds: int) -> dict:
    server, root = _serve()
    config = {"urls": {"allow_private": True}}
    wanted = {"url": f"{root}/p0", "max_pages": PAGES, "max_depth": 5}
    with tempfile.TemporaryDirectory() as folder:
        async with Runtime(cwd=folder, config=config) as rt, httpx2.AsyncClient() as client:

            async def one_by_one() -> None:
                for number in range(PAGES):
                    await client.get(f"{root}/p{number}")

            async def ours() -> None:
                answer = json.loads(await rt.call("web_crawl", wanted))
                assert answer["count"] == PAGES, answer

            times = await interleave_async(rounds, [one_by_one, ours])
    server.shutdown()
    return {"sequential": times[0], "ours": times[1]}


def extract(rounds: int) -> dict:
    """Return seconds of reading pages by trafilatura alone and by us."""
    logging.disable(logging.WARNING)
    pages = [_page(number) for number in range(20)]

    def alone() -> None:
        for page in pages:
            trafilatura.extract(
                page, url="https://paper.test/a", output_format="markdown", with_metadata=True
            )

    def ours() -> None:
        for page in pages:
            read(page, "https://paper.test/a")

    alone()
    ours()
    times = interleave(rounds, [alone, ours])
    return {"alone": times[0], "ours": times[1]}


def _page(number: int) -> str:
    menu = "".join(f'<li><a href="/s{n}">Section {n}</a></li>' for n in range(60))
    others = "".join(f'<div class="teaser"><a href="/t{n}">Story {n}</a></div>' for n in range(40))
    paragraphs = "".join(f"<p>{WORDS * 4} See <a href='/x{n}'>plan {n}</a>.</p>" for n in range(30))
    return (
        f'<html lang="en"><head><title>Story {number}</title><meta name="author" content="Ann Lee">'
        f'<meta property="article:published_time" content="2024-05-01"></head><body><nav><ul>{menu}'
        f"</ul></nav><article><h1>Story {number}</h1>{paragraphs}<table><tr><th>A</th></tr><tr>"
        f"<td>1</td></tr></table></article><aside>{others}</aside><footer>{menu}</footer></body>"
    )
