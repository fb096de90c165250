import asyncio
from pathlib import Path

import pytest

from hermes.base.errors import InvalidArguments
from hermes.runtime.context import Services, Task, ToolContext
from hermes.runtime.declare import entry_attached
from hermes.tools.system.sleep import LONGEST, sleep


def context(progress=None):
    services = Services()
    services.on_progress = progress
    return ToolContext(Task("t", Path("/")), "c1", services)


def test_it_answers_how_long_it_slept_and_tells_before():
    told = []
    answer = asyncio.run(sleep(0.01, ctx=context(lambda _, text: told.append(text))))
    assert answer == {"slept": 0.01}
    assert told == ["waiting 0.01 s"]


def test_it_ends_when_cancelled():
    async def cancelled():
        task = asyncio.ensure_future(sleep(LONGEST, ctx=context()))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


@pytest.mark.parametrize("seconds", [-1, LONGEST + 1, float("nan"), float("inf")])
def test_times_out_of_range_are_refused(seconds):
    with pytest.raises(InvalidArguments, match="seconds must be 0 to 3,600"):
        asyncio.run(sleep(seconds, ctx=context()))


def test_the_schema_has_the_range_and_the_longest_sleep_is_in_time():
    entry = entry_attached(sleep)
    seconds = entry.parameters["properties"]["seconds"]
    assert (seconds["minimum"], seconds["maximum"]) == (0, 3_600)
    assert entry.timeout_seconds > LONGEST
    assert entry.effects == frozenset({"read"})
