"""Checks: an environment starts, ends with all that runs there, and leaves nothing of ours open."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading

from hermes.environments.conformance.bench import WAIT_SECONDS, Bench
from hermes.environments.conformance.suite import Failed, check, holds, same
from hermes.environments.contract import Refused


@check()
async def starting_again_does_nothing(bench: Bench) -> None:
    """An environment that is ready stays as it is, though many ask for it at once."""
    await bench.run("export A=1")
    await asyncio.gather(*(bench.environment.start() for _ in range(5)))
    same(await bench.out("echo $A"), b"1\n")


@check()
async def giving_up_on_the_start_costs_nobody_else(bench: Bench) -> None:
    """Of many who wait for the start one may be cancelled, whichever it is."""
    for given_up in (0, 1):
        other = bench.make()
        waiting = [asyncio.ensure_future(other.start()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[given_up].cancel()
        ended = await asyncio.gather(*waiting, return_exceptions=True)
        await other.close()
        same([each for n, each in enumerate(ended) if n != given_up], [None, None])


@check()
async def it_says_what_it_is(bench: Bench) -> None:
    """Its name, its folder and its home are known."""
    holds(bench.environment.name, "it has no name")
    holds(bench.environment.root.startswith("/"), f"root {bench.environment.root!r}")
    holds(bench.environment.home.startswith("/"), f"home {bench.environment.home!r}")
    same((await bench.files.stat(bench.environment.root)).kind, "folder")


@check()
async def a_snapshot_is_made_or_refused(bench: Bench) -> None:
    """A backend without snapshots says so in words; one with them names what it kept."""
    try:
        name = await bench.environment.snapshot()
    except Refused as error:
        holds(error.message, "it says nothing")
    else:
        holds(name, "the snapshot has no name")


@check()
async def a_rest_costs_no_state(bench: Bench) -> None:
    """After a rest the folder, variables, functions, aliases and options are as they were."""
    await bench.run("mkdir d; cd d; export A=1; B=2; f() { echo f; }; alias g='echo g'; umask 027")
    await bench.run("shopt -s nullglob; echo kept > file")
    for _ in range(2):
        await bench.environment.rest()
    same(
        await bench.out("basename $PWD; echo $A$B; f; g; umask; shopt -q nullglob; echo $?"),
        b"d\n12\nf\ng\n0027\n0\n",
    )
    same(await bench.out("cat file"), b"kept\n")


@check()
async def files_are_there_while_it_rests(bench: Bench) -> None:
    """The files of an environment that rests are read as ever."""
    await bench.run("echo kept > file")
    await bench.environment.rest()
    same(await bench.files.read(bench.path("file")), b"kept\n")


@check()
async def closing_twice_does_nothing(bench: Bench) -> None:
    """What is closed is closed."""
    await bench.run("true")
    await bench.environment.close()
    await bench.environment.close()


@check()
async def closing_what_never_started_does_nothing(bench: Bench) -> None:
    """An environment that was only made can be closed."""
    await bench.make().close()


@check(needs="background")
async def closing_leaves_no_process(bench: Bench) -> None:
    """Neither a server, nor what runs in the background, nor what hides is left."""
    await bench.run("flock a sleep 60 & setsid nohup flock b sleep 60 >/dev/null 2>&1 &")
    started = await bench.spawn("(trap '' TERM HUP INT; flock c sleep 60)& flock d sleep 60")
    waiting = "for n in a b c d; do while flock -n $n true; do sleep 0.02; done; done"
    same((await bench.run(waiting)).code, 0, "they do not run")
    async with asyncio.timeout(WAIT_SECONDS):
        await bench.environment.close()
        await started.process.wait()
    try:
        await bench.environment.start()
    except Refused:
        return  # nobody can look there any more
    for name in "abcd":
        holds(await bench.is_free(name), f"{name} is still held")


@check()
async def starting_after_closing_works_or_is_refused(bench: Bench) -> None:
    """A closed environment begins anew or says clearly that it cannot."""
    await bench.run("export A=1")
    await bench.environment.close()
    try:
        await bench.environment.start()
    except Refused as error:
        holds(error.message, "it says nothing")
        return
    same(await bench.out("echo works"), b"works\n")


@check()
async def closing_ends_a_running_command(bench: Bench) -> None:
    """Who waits for a command of a closed environment is told, and does not wait for ever."""
    running, heard = bench.begin("echo up; sleep 60")
    await heard.until(b"up")
    beside, heard = bench.begin("echo up; sleep 60")
    await heard.until(b"up")
    async with asyncio.timeout(WAIT_SECONDS):
        await bench.environment.close()
        ended = await asyncio.gather(running, beside, return_exceptions=True)
    for outcome in ended:
        if isinstance(outcome, BaseException):
            holds(isinstance(outcome, (Refused, OSError)), f"it raised {outcome!r}")
        else:
            holds(outcome.exit_code != 0, f"it ended well: {outcome}")


@check()
async def nothing_of_this_process_is_left(bench: Bench) -> None:
    """Lives of environments leave no descriptor and no thread behind."""
    if sys.platform != "linux":
        return
    before: set[str] = set()
    for life in range(4):
        other = await bench.another()
        await _live(other)
        await other.environment.close()
        if life == 1:
            before = _open()
    left = await _settled(before)
    if left:
        raise Failed(f"left open: {left}")


async def _live(bench: Bench) -> None:
    """Do what an environment is made for."""
    await bench.run("sleep 60 & echo up")
    await asyncio.gather(*(bench.run(f"echo {n}") for n in range(3)))
    await bench.run("kill -9 $$")
    await bench.run("sleep 60", timeout_seconds=0.2)
    if "background" not in bench.environment.lacks:
        await bench.spawn("sleep 60")
        await (await bench.spawn("cat")).process.close_input()
    if "moving" not in bench.environment.lacks:
        await bench.run("sleep 60", timeout_seconds=0.2, moves_on=True)


async def _settled(before: set[str]) -> set[str]:
    """Return what is open beyond what was, once what is about to be closed is."""
    for _ in range(100):
        gc.collect()
        left = _open() - before
        if not left:
            return left
        await asyncio.sleep(0.05)
    return left


def _open() -> set[str]:
    """Return what this process holds: descriptors by number and what they are, threads by name."""
    names = (each.name for each in threading.enumerate())
    found = {f"thread {name}" for name in names if name.startswith("hermes-")}
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - names are wanted
        try:
            found.add(f"{name} {os.readlink(f'/proc/self/fd/{name}')}")  # noqa: PTH115 - as above
        except OSError:
            continue
    return found
