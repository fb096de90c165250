"""Scripts that call tools, beside plain Python."""

from __future__ import annotations

import asyncio
import json
import subprocess
import tempfile
import time
from pathlib import Path

from bench.harness import interleave_async
from hermes import Runtime
from hermes.services.scripting.pythons import choose
from hermes.tools import tool

PAUSE_SECONDS = 0.15
"""A model thinks between two scripts; the next interpreter is started meanwhile."""
FILES = 49
TRIPS = (
    "from hermes_tools import no_op\nimport time\nfor _ in range(50): no_op()\n"
    "t = time.perf_counter()\nfor _ in range({0}): no_op()\n"
    "print((time.perf_counter() - t) / {0})"
)
READS = (
    "import time\nt = time.perf_counter()\nfrom hermes_tools import read_file\n"
    "for n in range(49): read_file(f'{n}.txt')\nprint(time.perf_counter() - t)"
)
NAPS = (
    "import time\nfrom hermes_tools import aio, gather\nt = time.perf_counter()\n"
    "gather(aio.nap() for _ in range(20))\nprint(time.perf_counter() - t)"
)


def measure(rounds: int, calls: int) -> dict:
    """Return seconds of scripts, of their calls, and of plain Python."""
    return asyncio.run(_measure(rounds, calls))


async def _measure(rounds: int, calls: int) -> dict:
    @tool(toolset="custom", effects="read")
    def no_op() -> dict:
        """Do nothing."""
        return {}

    @tool(toolset="custom", effects="read")
    def nap() -> dict:
        """Sleep for half a second."""
        time.sleep(0.5)
        return {}

    chosen = {"tools": ["no_op", "nap", "read_file"], "max_calls": 10**9}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(FILES):
            (Path(folder) / f"{number}.txt").write_text("line\n" * 40, encoding="utf-8")
        ours = {"code": {**chosen, "backend": "python"}}
        async with (
            Runtime(cwd=folder, config=ours) as rt,
            Runtime(cwd=folder, config={"code": chosen}) as small,
        ):
            python = choose(folder, folder, {})

            async def run(code: str, by: Runtime = rt) -> str:
                answer = json.loads(await by.call("execute_code", {"code": code}))
                assert answer["status"] == "success", answer
                return answer["stdout"]

            async def plain() -> None:
                subprocess.run([python, "-c", "print(1)"], check=True, stdout=subprocess.DEVNULL)

            async def told(code: str) -> float:
                await asyncio.sleep(PAUSE_SECONDS)
                return float(await run(code))

            await run("print(1)")
            await run("print(1)", small)
            works = [lambda: run("print(1)"), lambda: run("print(1)", small), plain]
            script, quick, bare = await interleave_async(rounds * 2, works, between=_pause)
            return {
                "script": script,
                "quick": quick,
                "plain": bare,
                "trips": [await told(TRIPS.format(calls)) for _ in range(rounds)],
                "reads": [await told(READS) for _ in range(rounds)],
                "naps": [await told(NAPS) for _ in range(min(rounds, 5))],
            }


def _pause() -> None:
    time.sleep(PAUSE_SECONDS)
