"""Tools that hold something open: set up once, on first use, and closed with the runtime."""

import asyncio
import contextlib
import json
import subprocess
import sys
import threading

import pytest

from hermes.base.errors import ConfigError, ToolError
from hermes.runtime.base_tool import BaseTool
from hermes.runtime.declare import entry_of, tool
from hermes.runtime.tool_result import ToolResult

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
doors = pytest.mark.parametrize("door", ["sync", "async"])


@pytest.fixture
def log():
    return []


@pytest.fixture
def adder(registry, log):
    """A registered class that writes down its life."""

    @tool(registry=registry)
    class Adder(BaseTool):
        """Add up."""

        name = "add"
        toolset = "sums"
        parameters = NUMBER

        def __init__(self):
            log.append("made")

        async def setup(self):
            await asyncio.sleep(0)
            log.append("setup")
            self.total = 0

        async def run(self, params, ctx):
            self.total += params["n"]
            return ToolResult(output={"total": self.total, "task": ctx.task_id})

        async def teardown(self):
            log.append("teardown")

    return Adder


def call(rt, name, args=None, *, door="sync", **options):
    if door == "sync":
        return json.loads(rt.call_sync(name, args, **options))
    return json.loads(asyncio.run(rt.call(name, args, **options)))


@doors
def test_a_tool_is_set_up_by_its_first_use_and_torn_down_at_close(adder, runtime, log, door):
    rt = runtime()
    rt.definitions()
    assert log == []
    assert call(rt, "add", {"n": 1}, door=door, task_id="t") == {"total": 1, "task": "t"}
    assert call(rt, "add", {"n": 2}, door=door) == {"total": 3, "task": "default"}
    assert log == ["made", "setup"]
    rt.close()
    assert log == ["made", "setup", "teardown"]


def test_both_doors_use_the_same_tool(adder, runtime, log):
    rt = runtime()
    totals = [
        call(rt, "add", {"n": 1}, door=door)["total"] for door in ("sync", "async", "async", "sync")
    ]
    assert totals == [1, 2, 3, 4]
    assert log == ["made", "setup"]


@doors
def test_params_arrive_fitted(adder, runtime, log, door):
    rt = runtime()
    assert call(rt, "add", '{"n": "4"}', door=door)["total"] == 4
    answer = call(rt, "add", {"n": "four"}, door=door)
    assert answer["code"] == "invalid_arguments" and "n*" in answer["hint"]


def test_the_description_may_be_the_classes_docstring(adder, registry):
    entry = registry.get("add")
    assert (entry.description, entry.toolset, entry.is_async) == ("Add up.", "sums", True)
    assert entry.parameters == NUMBER


def test_the_options_of_the_decorator_win_over_the_class(registry):
    @tool(registry=registry, name="other", toolset="mine", description="Other.", effects="read")
    class Thing(BaseTool):
        """Thing."""

        name = "thing"

    entry = registry.get("other")
    assert (entry.toolset, entry.description, entry.effects) == ("mine", "Other.", {"read"})


def test_parameters_that_are_no_schema_are_refused(registry):
    class Wrong(BaseTool):
        name = "wrong"
        parameters = ("n",)

    with pytest.raises(ConfigError, match="wrong"):
        entry_of(Wrong)


@doors
def test_a_class_without_run_is_answered(registry, runtime, door):
    class Empty(BaseTool):
        name = "empty"

    registry.add(entry_of(Empty))
    assert call(runtime(), "empty", door=door)["code"] == "tool_failed"


def test_concurrent_first_uses_share_one_setup(adder, runtime, log):
    rt = runtime()

    async def scene():
        return await asyncio.gather(*(rt.call("add", {"n": 1}) for _ in range(50)))

    totals = sorted(json.loads(answer)["total"] for answer in asyncio.run(scene()))
    assert totals == list(range(1, 51))
    assert log.count("setup") == 1
    rt.close()
    assert log.count("teardown") == 1


def test_concurrent_first_uses_from_threads_and_loops_share_one_setup(adder, runtime, log):
    rt = runtime()
    start = threading.Barrier(8)

    def work(door):
        start.wait(5)
        call(rt, "add", {"n": 1}, door=door)

    threads = [
        threading.Thread(target=work, args=("sync" if n % 2 else "async",)) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert log.count("setup") == 1
    assert call(rt, "add", {"n": 0})["total"] == 8


def test_a_class_is_made_once(adder, runtime, log):
    rt = runtime()
    for _ in range(3):
        call(rt, "add", {"n": 1})
    assert log.count("made") == 1


def test_two_runtimes_have_tools_of_their_own(adder, runtime, log):
    first, second = runtime(), runtime()
    assert call(first, "add", {"n": 1})["total"] == 1
    assert call(second, "add", {"n": 5})["total"] == 5
    first.close()
    assert log == ["made", "setup", "made", "setup", "teardown"]
    assert call(second, "add", {"n": 1})["total"] == 6


@doors
@pytest.mark.parametrize(
    ("error", "code"),
    [(ToolError("not yet", hint="wait"), "tool_error"), (OSError("no disk"), "tool_failed")],
    ids=["told", "broken"],
)
def test_a_setup_that_fails_is_answered_and_tried_again(registry, runtime, log, door, error, code):
    class Shy(BaseTool):
        name = "shy"

        async def setup(self):
            log.append("setup")
            if len(log) < 3:
                raise error

        async def run(self, params, ctx):
            return "open"

        async def teardown(self):
            log.append("teardown")

    registry.add(entry_of(Shy))
    rt = runtime()
    for _ in range(2):
        answer = call(rt, "shy", door=door)
        assert answer["code"] == code and str(error) in answer["error"]
    assert call(rt, "shy", door=door) == {"result": "open"}
    rt.close()
    assert log == ["setup"] * 3 + ["teardown"]


def test_a_tool_whose_setup_failed_is_not_torn_down(registry, runtime, log):
    class Shy(BaseTool):
        name = "shy"

        async def setup(self):
            raise OSError("no")

        async def teardown(self):
            log.append("teardown")

    registry.add(entry_of(Shy))
    rt = runtime()
    call(rt, "shy")
    rt.close()
    assert log == []


def life(name, log, *, breaks=False):
    class Thing(BaseTool):
        async def run(self, params, ctx):
            return name

        async def teardown(self):
            log.append(name)
            if breaks:
                raise OSError(f"{name} is stuck")

    return entry_of(Thing, name=name)


@pytest.mark.parametrize("closing", ["sync", "async"])
def test_tools_are_torn_down_last_opened_first(registry, runtime, log, closing):
    for name in ("one", "two", "three", "unused"):
        registry.add(life(name, log))
    rt = runtime()
    for name in ("two", "one", "three", "two"):
        call(rt, name)
    rt.close() if closing == "sync" else asyncio.run(rt.aclose())
    assert log == ["three", "one", "two"]


@pytest.mark.parametrize("closing", ["sync", "async"])
def test_a_teardown_that_breaks_does_not_keep_the_rest_open(registry, runtime, log, closing):
    registry.add(life("first", log))
    registry.add(life("stuck", log, breaks=True))
    rt = runtime()
    call(rt, "first")
    call(rt, "stuck")
    with contextlib.suppress(OSError):
        rt.close() if closing == "sync" else asyncio.run(rt.aclose())
    assert log == ["stuck", "first"]
    journal = rt.settings.home / "journal"
    assert not list(journal.glob("*.spool"))


def test_closing_leaves_no_warning_behind(adder, runtime, recwarn):
    rt = runtime()
    call(rt, "add", {"n": 1})
    rt.close()
    import gc

    gc.collect()
    assert [str(warning.message) for warning in recwarn] == []


def test_closing_twice_tears_down_once_and_a_later_call_opens_again(adder, runtime, log):
    rt = runtime()
    call(rt, "add", {"n": 1})
    rt.close()
    rt.close()
    assert call(rt, "add", {"n": 5})["total"] == 5
    assert log == ["made", "setup", "teardown", "made", "setup"]


def test_a_tool_runs_on_the_loop_that_set_it_up_whatever_door_it_is_called_by(registry, runtime):
    """A connection belongs to the loop that opened it and is of no use on another."""

    class Connected(BaseTool):
        name = "connected"

        async def setup(self):
            self.opened = asyncio.get_running_loop().create_future()
            self.opened.set_result("through")

        async def run(self, params, ctx):
            return self.opened.get_loop() is asyncio.get_running_loop()

    registry.add(entry_of(Connected))
    rt = runtime()
    answers = [call(rt, "connected", door=door) for door in ("sync", "async", "sync", "async")]
    assert answers == [{"result": True}] * 4


GIVING_UP = """
import asyncio, json, threading
from concurrent.futures import ThreadPoolExecutor
from hermes import Runtime
from hermes.tools import BaseTool, ToolRegistry, tool

registry = ToolRegistry()
entered, fail = threading.Event(), threading.Event()

@tool(registry=registry)
class Slow(BaseTool):
    name = "slow"

    async def setup(self):
        if not entered.is_set():
            entered.set()
            await asyncio.to_thread(fail.wait, 5)
            raise OSError("never mind")

    async def run(self, params, ctx):
        return "open"

async def scene(rt):
    waiting = ThreadPoolExecutor(4)
    asyncio.get_running_loop().set_default_executor(waiting)
    first = asyncio.ensure_future(rt.call("slow"))
    while not entered.is_set():
        await asyncio.sleep(0)
    gave_up = await rt.call("slow", timeout_seconds=0.02)
    fail.set()
    broken = await first
    waiting.shutdown(wait=True)  # whoever still waited for a turn now has it
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(4))
    last = await rt.call("slow", timeout_seconds=1)
    print(json.dumps([json.loads(answer) for answer in (gave_up, broken, last)]))

with Runtime(registry=registry) as rt:
    asyncio.run(scene(rt))
"""


def test_giving_up_on_a_slow_setup_does_not_block_the_tool_for_good():
    """One call waits for another's setup and gives up; then that setup fails."""
    command = [sys.executable, "-c", GIVING_UP]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    gave_up, broken, last = json.loads(done.stdout)
    assert (gave_up["code"], broken["code"]) == ("timeout", "tool_failed")
    assert last == {"result": "open"}
