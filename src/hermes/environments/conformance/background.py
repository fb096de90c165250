"""Checks: commands in the background are followed, answered, signalled and ended."""

from __future__ import annotations

import asyncio
import signal
import threading

from hermes.environments.conformance.bench import WAIT_SECONDS, Bench
from hermes.environments.conformance.suite import Failed, check, holds, same
from hermes.environments.contract import Outcome


@check(needs="background")
async def a_background_command_ends_with_its_code(bench: Bench) -> None:
    """What it printed is whole when its end is told, and the end can be asked for again."""
    started = await bench.spawn("echo out; echo err >&2; exit 3")
    outcome = await started.end()
    same((outcome.exit_code, outcome.how), (3, "exited"))
    same((started.heard.out, started.heard.err), (b"out\n", b"err\n"))
    same((await started.end()).exit_code, 3, "code")


@check(needs="background")
async def the_task_does_not_wait_for_the_background(bench: Bench) -> None:
    """Commands run while another one is in the background."""
    started = await bench.spawn("echo up; while [ ! -e go ]; do sleep 0.05; done; echo end")
    await started.heard.until(b"up")
    same(await bench.out("echo free; touch go"), b"free\n")
    same((await started.end()).exit_code, 0, "code")


@check(needs="background")
async def the_background_has_the_state_of_the_task(bench: Bench) -> None:
    """It has the task's variables, functions, aliases and folder."""
    await bench.run("export A=1; b=2; f() { echo f; }; alias a='echo a'; mkdir d; cd d")
    started = await bench.spawn("sh -c 'echo $A'; echo $b; f; a; pwd")
    await started.end()
    same(started.heard.out.decode(), f"1\n2\nf\na\n{bench.path('d')}\n")


@check(needs="background")
async def the_background_does_not_change_the_state(bench: Bench) -> None:
    """What it sets and where it goes is its own."""
    started = await bench.spawn("export OWN=1; cd /; echo done")
    await started.end()
    ran = await bench.run("echo [${OWN-none}]; pwd")
    same(ran.out.decode(), f"[none]\n{bench.environment.root}\n")


@check(needs="background")
async def a_background_command_has_its_own_workdir_and_variables(bench: Bench) -> None:
    """It may be given a folder and variables."""
    await bench.run("mkdir 'w d'")
    started = await bench.spawn("pwd; echo $GIVEN", cwd=bench.path("w d"), env={"GIVEN": "x y"})
    await started.end()
    same(started.heard.out.decode(), f"{bench.path('w d')}\nx y\n")


@check(needs="background")
async def a_background_command_is_answered(bench: Bench) -> None:
    """What is written to it arrives while it runs, and no terminal is needed for that."""
    started = await bench.spawn("echo name?; read name; echo hello $name; cat; echo bye")
    await started.heard.until(b"name?")
    await started.process.write(b"you\n")
    await started.heard.until(b"hello you")
    await started.process.write(b"more\n")
    await started.heard.until(b"more\n")
    await started.process.close_input()
    same((await started.end()).exit_code, 0, "code")
    holds(started.heard.out.endswith(b"more\nbye\n"), f"output: {started.heard.out!r}")


@check(needs="background")
async def a_background_command_waits_for_input(bench: Bench) -> None:
    """Its input stays open until it is closed."""
    started = await bench.spawn("cat; echo end")
    await started.process.write(b"x")
    await started.heard.until(b"x")
    await started.process.close_input()
    await started.end()
    same(started.heard.out, b"xend\n")


@check(needs="background")
async def a_background_command_takes_much_input(bench: Bench) -> None:
    """A megabyte is written as fast as it is read."""
    started = await bench.spawn("wc -c")
    async with asyncio.timeout(WAIT_SECONDS):
        await started.process.write(b"x" * 1_000_000)
    await started.process.close_input()
    await started.end()
    same(started.heard.out.strip(), b"1000000")


@check(needs="background")
async def a_background_command_begins_with_the_input_given(bench: Bench) -> None:
    """What comes with the command is read first."""
    started = await bench.spawn("read a; read b; echo $a $b", stdin=b"one\n")
    await started.process.write(b"two\n")
    await started.end()
    same(started.heard.out, b"one two\n")


@check(needs="background")
async def writing_after_the_end_is_told(bench: Bench) -> None:
    """Who writes to what has ended is told so."""
    started = await bench.spawn("true")
    await started.end()
    try:
        await started.process.write(b"x\n")
    except BrokenPipeError:
        return
    raise Failed("writing went well")


@check(needs="background signals")
async def a_background_command_is_signalled(bench: Bench) -> None:
    """A signal reaches the command, which may listen to it."""
    text = "trap 'echo caught; exit 9' USR1; echo up; while :; do sleep 0.05; done"
    started = await bench.spawn(text)
    await started.heard.until(b"up")
    await started.process.signal(signal.SIGUSR1)
    same((await started.end()).exit_code, 9, "code")
    same(started.heard.out, b"up\ncaught\n")


@check(needs="background signals")
async def a_background_command_ends_by_a_signal(bench: Bench) -> None:
    """Its code tells the signal that ended it."""
    started = await bench.spawn("echo up; exec sleep 60")
    await started.heard.until(b"up")
    await started.process.signal(signal.SIGTERM)
    outcome = await started.end()
    holds(outcome.exit_code in (-15, 143), f"code {outcome.exit_code}")
    holds(outcome.how in ("signalled", "exited"), f"how {outcome.how}")


@check(needs="background signals")
async def signalling_what_has_ended_harms_nobody(bench: Bench) -> None:
    """A signal that comes too late is no error."""
    started = await bench.spawn("true")
    await started.end()
    await started.process.signal(signal.SIGTERM)
    await started.process.close_input()
    await started.process.close()


@check(needs="background")
async def closing_ends_the_command_and_its_children(bench: Bench) -> None:
    """Nothing of a closed command is left, though it ignores signals."""
    started = await bench.spawn(
        "trap '' TERM INT HUP; flock held sleep 60 & echo up; wait; sleep 60"
    )
    await started.heard.until(b"up")
    async with asyncio.timeout(WAIT_SECONDS):
        await started.process.close()
    holds(await bench.is_free("held"), "its child still runs")
    await started.end()


@check(needs="background")
async def an_end_is_told_once(bench: Bench) -> None:
    """Who wants to hear of the end is called once, also when it is over."""
    told: list[Outcome] = []
    heard = threading.Event()
    started = await bench.spawn("exit 4")
    started.process.on_end(told.append)
    started.process.on_end(lambda _: heard.set())
    await started.end()
    holds(await asyncio.to_thread(heard.wait, WAIT_SECONDS), "nobody was called")
    started.process.on_end(told.append)
    same([each.exit_code for each in told], [4, 4])


@check(needs="background")
async def a_background_command_that_fails_is_told(bench: Bench) -> None:
    """A command that cannot be found ends with its code."""
    started = await bench.spawn("no-such-command-anywhere")
    same((await started.end()).exit_code, 127, "code")
    holds(b"no-such-command-anywhere" in started.heard.err, f"errors: {started.heard.err!r}")


@check(needs="background")
async def large_background_output_is_whole(bench: Bench) -> None:
    """Ten megabytes come, none missing, before the end is told."""
    started = await bench.spawn("head -c 10000000 /dev/zero")
    same((await started.end()).exit_code, 0, "code")
    same(len(started.heard.out), 10_000_000)


@check(needs="background")
async def twenty_background_commands_run(bench: Bench) -> None:
    """Each has its own streams and its own code."""
    every = [await bench.spawn(f"read x; echo {n} $x; exit {n}") for n in range(20)]
    await asyncio.gather(*(each.process.write(b"%d\n" % n) for n, each in enumerate(every)))
    codes = [(await each.end()).exit_code for each in every]
    same(codes, list(range(20)))
    same([each.heard.out for each in every], [b"%d %d\n" % (n, n) for n in range(20)])


@check(needs="background")
async def a_background_command_starts_beside_a_busy_one(bench: Bench) -> None:
    """A command in the foreground does not hold up one in the background."""
    busy, heard = bench.begin("echo up; while [ ! -e go ]; do sleep 0.05; done")
    await heard.until(b"up")
    started = await bench.spawn("touch go; echo started")
    same((await started.end()).exit_code, 0, "code")
    same((await busy).exit_code, 0, "code")
