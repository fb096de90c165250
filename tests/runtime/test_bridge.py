"""Where threads and the event loop meet."""

import asyncio
import contextvars
import os
import threading

import pytest

from hermes.base.errors import TimedOut, ToolError
from hermes.runtime.bridge import HERE, ON_LOOP, Job, Workers, loop_thread, step_through, workers
from hermes.runtime.context import Services, Task, ToolContext

who = contextvars.ContextVar("who", default="nobody")


@pytest.fixture
def ctx(tmp_path):
    return ToolContext(Task("t", tmp_path), "c", Services())


def here(coroutine):
    return step_through(coroutine)


def on_loop(coroutine):
    return asyncio.run(coroutine)


ways = pytest.mark.parametrize(
    ("run", "way"), [(here, HERE), (on_loop, ON_LOOP)], ids=["here", "on_loop"]
)


def awaiting(way, work, ctx, seconds):
    """A coroutine that waits for async work as a way does."""

    async def wait():
        return await way.run_async(work, ctx, seconds)

    return wait()


@ways
def test_async_work_gives_its_value_or_its_error(run, way, ctx):
    async def give():
        await asyncio.sleep(0)
        return 5

    async def fail():
        await asyncio.sleep(0)
        raise ValueError("bad")

    assert run(awaiting(way, give(), ctx, 5)) == 5
    with pytest.raises(ValueError, match="bad"):
        run(awaiting(way, fail(), ctx, 5))


@ways
@pytest.mark.parametrize("seconds", [None, 5])
def test_blocking_work_gives_its_value_or_its_error(run, way, ctx, seconds):
    def fail():
        raise ValueError("bad")

    assert run(way.run_sync(lambda: 5, ctx, seconds)) == 5
    with pytest.raises(ValueError, match="bad"):
        run(way.run_sync(fail, ctx, seconds))


@ways
def test_the_callers_context_variables_are_seen_and_not_changed(run, way, ctx):
    def change():
        seen = who.get()
        who.set("worker")
        return seen

    async def change_later():
        await asyncio.sleep(0)
        return change()

    who.set("me")
    assert run(way.run_sync(change, ctx, 5)) == "me"
    assert run(awaiting(way, change_later(), ctx, 5)) == "me"
    assert who.get() == "me"


@ways
@pytest.mark.proves("call-cancellation")
def test_work_whose_time_is_up_is_told_to_stop(run, way, ctx):
    stopped = threading.Event()

    def block():
        while not ctx.cancelled:
            stopped.wait(0.001)
        stopped.set()

    async def hang():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    ended = []
    with pytest.raises(TimedOut, match="may still be running"):
        run(way.run_sync(block, ctx, 0.3))  # time for a thread to start on a busy machine
    assert stopped.wait(5)
    with pytest.raises(TimedOut, match="longer than"):
        run(awaiting(way, hang(), ctx, 0.02))
    assert ended == [True]


@ways
def test_a_timeout_that_the_work_itself_raises_is_its_own(run, way, ctx):
    async def fail():
        await asyncio.sleep(0)
        raise TimeoutError("of the server")

    def fail_now():
        raise TimeoutError("of the server")

    with pytest.raises(TimeoutError, match="of the server"):
        run(awaiting(way, fail(), ctx, 5))
    with pytest.raises(TimeoutError, match="of the server"):
        run(way.run_sync(fail_now, ctx, 5))


@ways
@pytest.mark.parametrize("exit_", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_an_exit_of_blocking_work_does_not_end_the_process(run, way, ctx, exit_):
    def leave():
        raise exit_

    with pytest.raises(Exception, match=type(exit_).__name__):
        run(way.run_sync(leave, ctx, 5))


@pytest.mark.parametrize("exit_", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_an_exit_of_async_work_does_not_end_the_loop_thread(ctx, exit_):
    async def leave():
        await asyncio.sleep(0)
        raise exit_

    async def give():
        return threading.current_thread().name

    with pytest.raises(Exception, match=type(exit_).__name__):
        here(awaiting(HERE, leave(), ctx, 5))
    assert here(awaiting(HERE, give(), ctx, 5)) == "hermes-loop"


def test_there_is_one_loop_thread_and_it_is_a_daemon():
    async def name():
        return threading.current_thread()

    found = {loop_thread().submit(name()).result(5) for _ in range(20)}
    assert len(found) == 1 and found.pop().daemon
    assert loop_thread() is loop_thread() and workers() is workers()


def test_waiting_for_the_loop_on_the_loop_itself_is_refused_at_once():
    async def inner():
        return 1

    async def outer():
        with pytest.raises(ToolError, match="own loop"):
            loop_thread().submit(inner())
        return "went on"

    assert loop_thread().submit(outer()).result(5) == "went on"


def test_cancelling_a_future_cancels_its_coroutine():
    started, ended = threading.Event(), threading.Event()

    async def hang():
        try:
            started.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    future = loop_thread().submit(hang())
    assert started.wait(5)
    future.cancel()
    assert ended.wait(5)


def test_a_coroutine_that_would_suspend_is_not_stepped_through():
    async def suspends():
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="suspend"):
        step_through(suspends())


def finished(done):
    return lambda value, error: done.append((value, error))


def test_no_more_threads_work_than_allowed():
    pool = Workers()
    pool.widen(3)
    running, most, lock = [0], [0], threading.Lock()
    gate, done = threading.Event(), []

    def work():
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        gate.wait(5)
        with lock:
            running[0] -= 1

    all_done = threading.Barrier(2)
    left = [10]

    def deliver(value, error):
        with lock:
            left[0] -= 1
            last = left[0] == 0
        done.append(error)
        if last:
            all_done.wait(5)

    for _ in range(10):
        pool.submit(Job(work, deliver))
    gate.set()
    all_done.wait(5)
    assert most[0] <= 3 and done == [None] * 10


def test_an_abandoned_job_frees_its_place_and_one_that_has_not_begun_never_runs():
    pool = Workers()
    gate, entered, ran, done = threading.Event(), threading.Event(), [], threading.Event()

    def hang():
        entered.set()
        gate.wait(5)

    hung = Job(hang, lambda value, error: None)
    waiting = Job(lambda: ran.append("waiting"), lambda value, error: None)
    pool.submit(hung)
    assert entered.wait(5)
    pool.submit(waiting)
    pool.abandon(waiting)
    pool.abandon(waiting)
    pool.submit(Job(lambda: ran.append("last"), lambda value, error: done.set()))
    pool.abandon(hung)
    assert done.wait(5)
    gate.set()
    assert ran == ["last"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a forked child needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_gets_a_loop_and_workers_of_its_own(ctx):
    async def give():
        return 7

    assert here(awaiting(HERE, give(), ctx, 5)) == 7
    child = os.fork()
    if child == 0:
        try:
            right = here(awaiting(HERE, give(), ctx, 5)) == 7
            os._exit(0 if right else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def test_other_tasks_run_while_blocking_work_is_waited_for(ctx):
    gate = threading.Event()

    async def scene():
        call = asyncio.ensure_future(ON_LOOP.run_sync(lambda: gate.wait(5), ctx, 5))
        for _ in range(10):
            await asyncio.sleep(0)
        assert not call.done()
        gate.set()
        return await call

    assert asyncio.run(scene()) is True


def test_work_that_ends_after_its_loop_is_gone_disturbs_nobody(ctx):
    gate, ended = threading.Event(), threading.Event()

    def late():
        gate.wait(5)
        ended.set()

    async def scene():
        with pytest.raises(TimedOut):
            await ON_LOOP.run_sync(late, ctx, 0.01)

    asyncio.run(scene())
    gate.set()
    assert ended.wait(5)
