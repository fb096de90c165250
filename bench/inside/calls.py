"""One call through the whole pipeline, against the same function called plainly."""

from __future__ import annotations

import asyncio
from itertools import repeat

from bench.harness import interleave, interleave_async
from hermes import Runtime
from hermes.tools import ToolRegistry, tool

ARGUMENTS = {"text": "hello", "count": 3, "flag": True}
TEXT = '{"text": "hello", "count": 3, "flag": true}'
SLOPPY = {"text": "hello", "count": "3", "flag": "true"}
RULES = {"allow": ["bench:read"]}


def noop(text: str, count: int, flag: bool) -> str:
    """Give the text back.

    Args:
        text: Any text.
        count: Any number.
        flag: Yes or no.
    """
    return text


async def anoop(text: str, count: int, flag: bool) -> str:
    """Give the text back.

    Args:
        text: Any text.
        count: Any number.
        flag: Yes or no.
    """
    return text


def watch(name, args, **event):
    """Be the one hook that every call passes."""


def make_runtime(profile=None) -> Runtime:
    """Return a runtime with both functions, one hook, and the journal on."""
    registry = ToolRegistry()
    for function in (noop, anoop):
        tool(registry=registry, effects="read", permissions=["bench:read"])(function)
    runtime = Runtime(profile, registry=registry)
    assert runtime.settings.journal.enabled
    runtime.hooks.add("pre_tool_call", watch)
    return runtime


def sync(rounds: int, calls: int) -> dict:
    """Return seconds per call of each way, round by round."""
    with make_runtime() as free, make_runtime(RULES) as judged:
        works = {
            "plain": _plainly(calls),
            "call": _calling(free, ARGUMENTS, calls),
            "judged": _calling(judged, ARGUMENTS, calls),
            "text": _calling(free, TEXT, calls),
            "sloppy": _calling(free, SLOPPY, calls),
            "written": _writing(free, ARGUMENTS, calls),
        }
        for work in works.values():
            work()
        times = interleave(rounds, list(works.values()), between=lambda: _pause(free, judged))
    return _per_call(works, times, calls)


def _plainly(calls: int):
    def work() -> None:
        for _ in repeat(None, calls):
            noop("hello", 3, True)

    return work


def _calling(runtime: Runtime, arguments: dict | str, calls: int):
    call = runtime.call_sync
    assert call("noop", arguments) == '{"result":"hello"}'

    def work() -> None:
        for _ in repeat(None, calls):
            call("noop", arguments)

    return work


def _writing(runtime: Runtime, arguments: dict | str, calls: int):
    work = _calling(runtime, arguments, calls)

    def all_of_it() -> None:
        work()
        runtime.journal.flush()

    return all_of_it


def _pause(*runtimes: Runtime) -> None:
    for runtime in runtimes:
        runtime.journal.flush()


def _per_call(works: dict, times: list, calls: int) -> dict:
    return {
        name: [round_ / calls for round_ in rounds]
        for name, rounds in zip(works, times, strict=True)
    }


def from_a_loop(rounds: int, calls: int) -> dict:
    """Do the same on a running loop with an async function."""
    return asyncio.run(_from_a_loop(rounds, calls))


async def _from_a_loop(rounds: int, calls: int) -> dict:
    async with make_runtime() as free, make_runtime(RULES) as judged:
        works = {
            "plain": _awaiting_plainly(calls),
            "call": await _awaiting(free, calls),
            "judged": await _awaiting(judged, calls),
        }
        for work in works.values():
            await work()
        times = await interleave_async(
            rounds, list(works.values()), between=lambda: _pause(free, judged)
        )
    return _per_call(works, times, calls)


def _awaiting_plainly(calls: int):
    async def work() -> None:
        for _ in repeat(None, calls):
            await anoop("hello", 3, True)

    return work


async def _awaiting(runtime: Runtime, calls: int):
    call = runtime.call
    assert await call("anoop", ARGUMENTS) == '{"result":"hello"}'

    async def work() -> None:
        for _ in repeat(None, calls):
            await call("anoop", ARGUMENTS)

    return work
