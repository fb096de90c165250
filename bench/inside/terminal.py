"""Commands through the whole pipeline, beside plain processes."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import tempfile
import time

from bench.harness import interleave_async
from hermes import Runtime

BASH = ["/bin/bash", "-c", "true"]
OUTPUT_BYTES = 100_000_000
PAUSE_SECONDS = 0.01


def measure(rounds: int) -> dict:
    """Return seconds of commands in a warm task, of its first one, and of much output."""
    return asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        async with Runtime(cwd=folder) as rt:

            async def run(command: str, task: str = "warm", **more: object) -> None:
                answer = await rt.call("terminal", {"command": command, **more}, task)
                assert '"exit_code":0' in answer or '"session_id"' in answer, answer

            async def plain() -> None:
                subprocess.run(BASH, check=True)

            await run("true")
            ours, bash = await interleave_async(
                rounds * 4, [lambda: run("true"), plain], between=lambda: time.sleep(PAUSE_SECONDS)
            )
            late = [await _late(run, seconds, rounds) for seconds in (0.05, 0.3)]
            first = [await _timed(run("true", f"task {number}")) for number in range(rounds)]
            spawned = [await _timed(run("true", background=True)) for _ in range(rounds)]
            return {
                "ours": ours,
                "bash": bash,
                "late": late,
                "first": first,
                "spawned": spawned,
                **await _output(run),
            }


async def _timed(work) -> float:
    started = time.perf_counter()
    await work
    return time.perf_counter() - started


async def _late(run, seconds: float, rounds: int) -> list[float]:
    return [await _timed(run(f"sleep {seconds}")) - seconds for _ in range(max(3, rounds // 3))]


async def _output(run) -> dict:
    """Return the seconds of much output, of reading as much from a pipe, and the memory it took."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = await _timed(run(f"head -c {OUTPUT_BYTES} /dev/zero"))
    grown = max(4, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)  # a page at least
    started = time.perf_counter()
    process = subprocess.Popen(
        ["head", "-c", str(OUTPUT_BYTES), "/dev/zero"], stdout=subprocess.PIPE
    )
    while os.read(process.stdout.fileno(), 1 << 16):
        pass
    process.wait()
    process.stdout.close()
    return {"output": taken, "pipe": time.perf_counter() - started, "grown": grown}
