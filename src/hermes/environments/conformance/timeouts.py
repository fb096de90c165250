"""Checks: a command whose time is up, or that is cancelled, is gone with all that it started."""

from __future__ import annotations

import asyncio

from hermes.environments.conformance.bench import WAIT_SECONDS, Bench, Ran
from hermes.environments.conformance.suite import check, holds, same
from hermes.environments.contract import Screen

_SOON = 0.5


async def _stopped(bench: Bench, text: str, **options: object) -> Ran:
    ran = await bench.run(text, timeout_seconds=_SOON, **options)
    same(ran.how, "timed out", "how")
    holds(ran.outcome.seconds < 10, f"it took {ran.outcome.seconds} s")
    same(await bench.out("echo goes on"), b"goes on\n", "the next command")
    return ran


@check()
async def a_timeout_ends_a_program(bench: Bench) -> None:
    """A program that takes too long is ended, and what it printed is kept."""
    ran = await _stopped(bench, "echo partial; echo wrong >&2; sleep 60; echo never")
    same((ran.out, ran.err), (b"partial\n", b"wrong\n"))


@check()
async def a_timeout_ends_a_loop_of_the_shell(bench: Bench) -> None:
    """A loop without any program is ended too."""
    same((await _stopped(bench, "echo spinning; while :; do :; done")).out, b"spinning\n")


@check()
async def a_timeout_ends_what_ignores_term(bench: Bench) -> None:
    """What does not listen is killed."""
    stubborn = "trap '' TERM; echo deaf; while :; do sleep 1; done"
    same((await _stopped(bench, stubborn)).out, b"deaf\n")
    same((await _stopped(bench, f'bash -c "{stubborn}"')).out, b"deaf\n")


@check()
async def a_timeout_ends_children(bench: Bench) -> None:
    """What a command started goes with it."""
    await _stopped(bench, "flock held sleep 60 & bash -c 'flock held2 sleep 60; true' | cat; wait")
    holds(await bench.is_free("held"), "its child still runs")
    holds(await bench.is_free("held2"), "the child of its child still runs")


@check()
async def a_timeout_asks_before_it_kills(bench: Bench) -> None:
    """A command may clean up when its time is up, also in a shell that had to be started again."""
    tidy = "trap 'echo tidy; exit' TERM; sleep 60 & wait"
    for _ in range(2):
        same((await _stopped(bench, tidy)).out, b"tidy\n")


@check()
async def a_timeout_ends_endless_output(bench: Bench) -> None:
    """A command that never stops printing is ended."""
    holds((await _stopped(bench, "yes")).out.startswith(b"y\ny\n"), "its output is lost")


@check()
async def a_timeout_keeps_the_state(bench: Bench) -> None:
    """The task is as it was before the command."""
    await bench.run("export A=1; f() { echo f; }; mkdir d; cd d")
    await _stopped(bench, "sleep 60")
    same((await bench.out("echo $A; f; pwd")).decode(), f"1\nf\n{bench.path('d')}\n")


@check(needs="pty")
async def a_timeout_ends_a_command_on_a_terminal(bench: Bench) -> None:
    """On a terminal a command is ended like any other."""
    from_terminal = await _stopped(bench, "echo shown; sleep 60", pty=Screen())
    same(from_terminal.out, b"shown\r\n")


@check()
async def what_earlier_commands_left_outlives_a_timeout(bench: Bench) -> None:
    """Ending one command does not end the server that another one started."""
    await bench.run("flock held sleep 30 >/dev/null 2>&1 & while flock -n held true; do :; done")
    await _stopped(bench, "sleep 60")
    holds(await bench.is_held("held"), "the server was ended too")


@check()
async def in_time_is_in_time(bench: Bench) -> None:
    """A limit that is not reached changes nothing."""
    ran = await bench.run("sleep 0.2; echo done", timeout_seconds=15)
    same((ran.code, ran.how, ran.out), (0, "exited", b"done\n"))


@check()
async def being_cancelled_ends_the_command(bench: Bench) -> None:
    """A caller who gives up takes the command along, and the task goes on."""
    await bench.run("export A=1")
    task, heard = bench.begin("echo up; flock held sleep 60")
    await heard.until(b"up")
    task.cancel()
    await asyncio.wait({task}, timeout=WAIT_SECONDS)
    holds(task.cancelled(), "it was not cancelled")
    holds(await bench.is_free("held"), "the command still runs")
    same(await bench.out("echo $A"), b"1\n")


@check()
async def being_cancelled_ends_one_of_many(bench: Bench) -> None:
    """Of commands that run at once only the cancelled one ends."""
    first, heard_first = bench.begin("echo up; while [ ! -e go ]; do sleep 0.05; done; echo one")
    await heard_first.until(b"up")
    second, heard = bench.begin("echo up; flock held sleep 60")
    await heard.until(b"up")
    second.cancel()
    await asyncio.wait({second}, timeout=WAIT_SECONDS)
    holds(second.cancelled(), "it was not cancelled")
    holds(await bench.is_free("held"), "the cancelled command still runs")
    await bench.run("touch go")
    same(((await first).exit_code, heard_first.out), (0, b"up\none\n"))


@check(needs="moving")
async def a_command_moves_on_in_the_background(bench: Bench) -> None:
    """When asked, a command whose time is up goes on, and the task does not wait for it."""
    await asyncio.gather(*(bench.run(text) for text in ("export A=1", "f() { echo f; }")))
    task, heard = bench.begin(
        "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 7",
        timeout_seconds=_SOON,
        moves_on=True,
    )
    moved = await task
    same((moved.how, heard.out), ("moved", b"one\n"))
    holds(moved.process is not None, "nothing goes on")
    same(await bench.out("echo $A; f; touch go"), b"1\nf\n")
    if moved.process is not None:
        async with asyncio.timeout(WAIT_SECONDS):
            same((await moved.process.wait()).exit_code, 7, "code")
    same(heard.out, b"one\ntwo\n")


@check(needs="moving")
async def what_has_moved_can_be_ended(bench: Bench) -> None:
    """A command that moved to the background ends like any other there."""
    outcome = (await bench.run("flock held sleep 60", timeout_seconds=_SOON, moves_on=True)).outcome
    holds(outcome.process is not None, f"it did not move: {outcome}")
    if outcome.process is not None:
        await outcome.process.close()
    holds(await bench.is_free("held"), "it still runs")
