"""The browser tools beside bare Playwright, in the same Chromium."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from playwright.async_api import async_playwright

from bench.harness import interleave_async
from bench.inside import episodes
from hermes import Runtime
from hermes.config.environment import snapshot
from hermes.services.browser import Browsers
from hermes.services.browser.finding import find

ROWS = 1_250
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet an answer: two would have every client wait for the second
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        body = (_large() if self.path == "/large" else _small()).encode()
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


def _small() -> str:
    rows = "".join(f"<li>Entry {n} <a href='/{n}'>more</a></li>" for n in range(40))
    return f"<title>Small</title><h1>Small</h1><input aria-label=Name><ul>{rows}</ul>"


def _large() -> str:
    rows = "".join(
        f"<li><span>row {n}</span> <a href='/x{n}'>link {n}</a><button>Act {n}</button></li>"
        for n in range(ROWS)
    )
    return f"<title>Large</title><ul>{rows}</ul>"


class _Caller:
    """A task that has no page yet."""

    def __init__(self, task_id: str) -> None:
        self.task_id = task_id

    def check_url(self, url: str) -> tuple[()]:
        return ()


async def _nothing(session: object) -> None:
    """Do nothing with a browser but have it opened."""


def measure(rounds: int) -> dict:
    """Return seconds of loading and showing pages, and of opening a second task's context."""
    return asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> dict:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    Thread(target=server.serve_forever, daemon=True).start()
    root = f"http://127.0.0.1:{server.server_port}"
    found = find("", snapshot())
    assert found is not None, "there is no Chromium"
    config = {"urls": {"allow_private": True}}
    with tempfile.TemporaryDirectory() as folder:
        async with async_playwright() as playwright, Runtime(cwd=folder, config=config) as rt:
            browser = await playwright.chromium.launch(executable_path=found.path, args=ARGUMENTS)
            page = await browser.new_page(viewport={"width": 1_280, "height": 800})

            async def bare() -> None:
                await page.goto(f"{root}/small", wait_until="domcontentloaded")
                await page.aria_snapshot(mode="ai")

            async def call(name: str, task: str = "one", **arguments: object) -> dict:
                answer: dict = json.loads(await rt.call(name, arguments, task))
                assert "error" not in answer, answer
                return answer

            async def ours() -> None:
                await call("browser_navigate", url=f"{root}/small")

            began = time.perf_counter()
            await call("browser_snapshot")
            cold = time.perf_counter() - began
            seconds, shown_first = [], []
            browsers = rt.services.get(Browsers)
            for number in range(max(rounds, 3)):
                caller = _Caller(f"other {number}")
                began = time.perf_counter()
                await browsers.use(caller, _nothing)
                seconds.append(time.perf_counter() - began)
                began = time.perf_counter()
                await call("browser_snapshot", caller.task_id)
                shown_first.append(time.perf_counter() - began)
            await bare()
            await ours()
            times = await interleave_async(rounds, [bare, ours])
            played = await _played(rounds, call, page)
            await call("browser_navigate", url=f"{root}/large")
            await page.goto(f"{root}/large")

            async def shown_large() -> None:
                await call("browser_snapshot")

            async def bare_large() -> None:
                await page.aria_snapshot(mode="ai")

            shown, shown_bare = await interleave_async(max(rounds, 3), [shown_large, bare_large])
            whole = len(await page.aria_snapshot(mode="ai"))
            compact = (await call("browser_snapshot", offset=0)).get("total_chars", 0)
            await browser.close()
    server.shutdown()
    return {
        "bare": times[0], "ours": times[1], "shown": shown,
        "shown_bare": shown_bare, "cold": cold, "second": seconds,
        "second_page": shown_first,
        "whole": whole, "compact": compact, "played": played[0], "played_bare": played[1],
        "tasks": played[2],
    }  # fmt: skip


async def _played(rounds: int, call: episodes.Call, page: Any) -> tuple[list, list, int]:
    """Return seconds of a mix of short tasks, through the tools and bare."""
    server, root, tasks = episodes.serve()

    async def ours() -> None:
        await episodes.through_tools(call, root, tasks)

    async def bare() -> None:
        await episodes.bare(page, root, tasks)

    await ours()
    await bare()
    times = await interleave_async(max(3, rounds // 3), [ours, bare])
    server.shutdown()
    return times[0], times[1], len(tasks)
