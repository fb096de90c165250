"""Cells of sessions, with journal and sandbox."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import time

from hermes import Runtime

SIZE = "int(next(l for l in open('/proc/self/status') if l.startswith('VmRSS')).split()[1])"
WARM = 1_000


def measure(rounds: int, cells: int) -> dict:
    """Return seconds of cells and of first cells, and the kilobytes that many cells add."""
    return asyncio.run(_measure(rounds, cells))


async def _measure(rounds: int, cells: int) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        async with Runtime(cwd=folder) as rt:

            async def run(code: str, task: str = "warm", language: str = "python") -> dict:
                asked = {"code": code, "language": language}
                answer = json.loads(await rt.call("repl", asked, task))
                assert answer.get("status") == "ok", answer
                return answer

            started = [await _timed(run("1", f"task {n}")) for n in range(min(rounds, 5))]
            await run("1")
            python = [await _timed(run("1")) for _ in range(rounds * 10)]
            node = []
            if shutil.which("node"):
                await run("1", language="javascript")
                node = [await _timed(run("1", language="javascript")) for _ in range(rounds * 10)]
            return {
                "started": started,
                "python": python,
                "node": node or [0.0],
                "cells": cells,
                "grown": await _grown(run, cells),
            }


async def _timed(work: object) -> float:
    begun = time.perf_counter()
    await work
    return time.perf_counter() - begun


async def _grown(run: object, cells: int) -> int:
    """Return how many kilobytes a session grows, once it has forgotten its first cells."""
    for number in range(WARM):
        await run(f"'{number}' * 10")
    before = int((await run(SIZE))["value"])
    for number in range(cells):
        await run(f"'{number}' * 10")
    return int((await run(SIZE))["value"]) - before
