"""Many calls that wait at the same time."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

from bench.harness import interleave_async
from hermes import Runtime
from hermes.tools import ToolRegistry, tool

SECONDS = 0.010
ARGUMENTS = {"text": "hello", "count": 3, "flag": True}


async def async_nap(text: str, count: int, flag: bool) -> str:
    """Wait a moment on the loop."""
    await asyncio.sleep(SECONDS)
    return text


def sync_nap(text: str, count: int, flag: bool) -> str:
    """Wait a moment and block the thread."""
    time.sleep(SECONDS)
    return text


def on_the_loop(rounds: int, naps: int) -> dict:
    """Return seconds until all async calls are answered: bare, one by one, as one message."""

    async def bare() -> None:
        await asyncio.gather(*(async_nap("hello", 3, True) for _ in range(naps)))

    return asyncio.run(_measure(async_nap, bare, rounds, naps))


def in_threads(rounds: int, naps: int) -> dict:
    """Return the same for sync handlers; bare is a pool of as many threads."""
    with ThreadPoolExecutor(64) as pool:

        async def bare() -> None:
            loop = asyncio.get_running_loop()
            waits = (loop.run_in_executor(pool, sync_nap, "hello", 3, True) for _ in range(naps))
            await asyncio.gather(*waits)

        return asyncio.run(_measure(sync_nap, bare, rounds, naps))


async def _measure(handler, bare, rounds: int, naps: int) -> dict:
    registry = ToolRegistry()
    tool(registry=registry, effects="read")(handler)
    name = handler.__name__
    message = {"role": "assistant", "tool_calls": [_asked(name, at) for at in range(naps)]}
    async with Runtime(registry=registry) as runtime:

        async def calls() -> None:
            answers = await asyncio.gather(*(runtime.call(name, ARGUMENTS) for _ in range(naps)))
            assert set(answers) == {'{"result":"hello"}'}

        async def many() -> None:
            answers = await runtime.call_many(message)
            assert [answer["tool_call_id"] for answer in answers] == [
                call["id"] for call in message["tool_calls"]
            ]

        works = {"bare": bare, "call": calls, "call_many": many}
        for work in works.values():
            await work()
        pause = runtime.journal.flush
        times = await interleave_async(rounds, list(works.values()), between=pause)
    return dict(zip(works, times, strict=True))


def _asked(name: str, at: int) -> dict:
    arguments = '{"text": "hello", "count": 3, "flag": true}'
    return {
        "id": f"call_{at}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }
