"""Checks: what a command leaves running behind it goes on, and nobody waits for it."""

from __future__ import annotations

from hermes.environments.conformance.bench import Bench
from hermes.environments.conformance.suite import check, holds, same


@check()
async def a_server_does_not_hold_the_answer(bench: Bench) -> None:
    """``server &`` is answered at once, though the server keeps the streams."""
    ran = await bench.run("flock held sleep 30 & while flock -n held true; do :; done; echo up")
    same((ran.code, ran.how, ran.out), (0, "exited", b"up\n"))
    holds(ran.outcome.seconds < 10, f"it took {ran.outcome.seconds} s")
    holds(await bench.is_held("held"), "the server was ended")


@check()
async def a_server_survives_the_end_of_its_shell(bench: Bench) -> None:
    """A shell that is lost does not take the servers along that it started."""
    await bench.run("setsid flock held sleep 30 & while flock -n held true; do :; done")
    await bench.run("exit 3")
    await bench.run("kill -9 $$")
    holds(await bench.is_held("held"), "the server was ended")


@check()
async def late_writers_are_not_killed(bench: Bench) -> None:
    """What writes after its command has ended is read on: a closed pipe would kill it."""
    late = "while [ ! -e go ]; do sleep 0.05; done; echo late; echo late >&2"
    await bench.run(f"({late}; head -c 1000000 /dev/zero && touch written) &")
    same(await bench.out("touch go"), b"")
    holds(await bench.appears("written"), "it was killed by its output")


@check()
async def late_output_is_nobody_elses(bench: Bench) -> None:
    """What comes late is not taken for the output of another command."""
    late = (
        "while [ ! -e go ]; do sleep 0.02; done; for i in $(seq 50); do echo late; done; touch end"
    )
    await bench.run(f"({late}) &")
    same(await bench.out("touch go; while [ ! -e end ]; do sleep 0.02; done; echo mine"), b"mine\n")


@check()
async def many_late_writers_cost_nothing(bench: Bench) -> None:
    """Command after command may leave something behind that holds its streams."""
    for number in range(12):
        ran = await bench.run(f"sleep 20 & echo {number}")
        same(ran.out, b"%d\n" % number)
    same(await bench.out("kill $(jobs -p) 2>/dev/null; echo on"), b"on\n")


@check()
async def jobs_belong_to_the_task(bench: Bench) -> None:
    """A later command can wait for what an earlier one started."""
    await bench.run("(while [ ! -e go ]; do sleep 0.05; done; exit 6) & job=$!")
    same((await bench.run("touch go; wait $job")).code, 6, "code")
