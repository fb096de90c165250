"""Commands through the whole pipeline, beside plain processes."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from bench.harness import interleave_async
from hermes import Runtime

BASH = ["/bin/bash", "-c", "true"]
LINES = "seq 1 12500000"
ZEROS = "head -c 100000000 /dev/zero"
PAUSE_SECONDS = 0.01


def measure(rounds: int) -> dict:
    """Return seconds of commands in a warm task, of its first one, and of much output."""
    return asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        async with Runtime(cwd=folder) as rt:

            async def run(command: str, task: str = "warm", **more: object) -> str:
                answer = await rt.call("terminal", {"command": command, **more}, task)
                assert '"exit_code":0' in answer or '"session_id"' in answer, answer
                return answer

            async def plain() -> None:
                subprocess.run(BASH, check=True)

            await run("true")
            ours, bash = await interleave_async(rounds * 8, [lambda: run("true"), plain])
            fresh, again = await interleave_async(
                rounds * 2, [lambda: run("/bin/bash -c true"), plain], between=_pause
            )
            late = [await _late(run, seconds, rounds) for seconds in (0.05, 0.3, 1)]
            first = [await _timed(run("true", f"task {n}"), _pause) for n in range(rounds)]
            spawned = [await _timed(run("true", background=True), _pause) for _ in range(rounds)]
            return {
                "ours": ours,
                "bash": bash,
                "fresh": fresh,
                "again": again,
                "late": late,
                "first": first,
                "spawned": spawned,
                "lines": await _output(run, LINES, rounds),
                "zeros": await _output(run, ZEROS, rounds),
            }


def _pause() -> None:
    """A model thinks between two commands; the next process is made ready meanwhile."""
    time.sleep(PAUSE_SECONDS)


async def _timed(work, before=lambda: None) -> float:
    before()
    started = time.perf_counter()
    await work
    return time.perf_counter() - started


async def _late(run, seconds: float, rounds: int) -> dict:
    """Return how long after the end of a command its answer came, and after its time was up."""
    woken, whole = [], []
    for _ in range(max(1 if seconds >= 1 else 3, rounds // 3)):
        started = time.time()
        answer = await run(f"sleep {seconds}; echo $EPOCHREALTIME")
        now = time.time()
        woken.append(now - float(json.loads(answer)["stdout"]))
        whole.append(now - started - seconds)
    return {"woken": woken, "whole": whole}


async def _output(run, command: str, rounds: int) -> dict:
    """Return the seconds of much output, of reading as much from a pipe, and the memory it took."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    async def ours() -> None:
        await run(command)

    async def plain() -> None:
        process = subprocess.Popen(command.split(), stdout=subprocess.PIPE)
        while os.read(process.stdout.fileno(), 1 << 16):
            pass
        process.wait()
        process.stdout.close()

    def clean() -> None:
        """Remove what was saved: files that wait to be written would hold up the next one."""
        for path in (Path(os.environ["HERMES_HOME"]) / "results").glob("*"):
            path.unlink()

    taken, pipe = await interleave_async(max(1, rounds // 2), [ours, plain], between=clean)
    grown = max(4, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)  # a page at least
    return {"output": taken, "pipe": pipe, "grown": grown}


def tasks(count: int) -> dict:
    """Return the kilobytes that tasks with a shell each take, and what is left when they end."""
    return asyncio.run(_tasks(count))


async def _tasks(count: int) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        async with Runtime(cwd=folder) as rt:
            await rt.call("terminal", {"command": "true"}, "first")
            before = _family(os.getpid())
            for number in range(count):
                answer = await rt.call("terminal", {"command": "true"}, f"task {number}")
                assert '"exit_code":0' in answer, answer
            during = _family(os.getpid())
        after = _family(os.getpid())
    return {
        "ours": during["own"] - before["own"],
        "all": during["all"] - before["all"],
        "left": after["processes"] - 1,
    }


def _family(process: int) -> dict:
    """Return the kilobytes of a process, those of it and all that it started, and their number."""
    members, found = [process], []
    while members:
        one = members.pop()
        found.append(one)
        for path in Path(f"/proc/{one}/task").glob("*/children"):
            members += map(int, path.read_text(encoding="utf-8").split())
    sizes = [_kilobytes(one) for one in found]
    return {"own": sizes[0], "all": sum(sizes), "processes": len(found)}


def _kilobytes(process: int) -> int:
    """Return the memory of a process; what several share counts in parts."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8")
    except OSError:
        return 0
    return int(text.partition("\nPss:")[2].split()[0])
