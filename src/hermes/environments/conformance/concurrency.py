"""Checks: commands of one task run at once, and do not lose each other's changes."""

from __future__ import annotations

import asyncio

from hermes.environments.conformance.bench import Bench
from hermes.environments.conformance.suite import check, holds, same


@check()
async def eight_parallel_exports_survive(bench: Bench) -> None:
    """What commands that run at once export is all there afterwards."""
    await asyncio.gather(*(bench.run(f"export V{n}={n}; sleep 0.1") for n in range(8)))
    same(await bench.out("echo $V0$V1$V2$V3$V4$V5$V6$V7"), b"01234567\n")
    same(await bench.out("sh -c 'echo $V0$V1$V2$V3$V4$V5$V6$V7'"), b"01234567\n")


@check()
async def parallel_exports_survive_a_lost_shell(bench: Bench) -> None:
    """What came from commands beside it is not lost when the next one kills the shell."""
    await asyncio.gather(*(bench.run(f"export V{n}={n}; sleep 0.1") for n in range(4)))
    await bench.run("kill -9 $$", env={"GIVEN": "1"})
    same(await bench.out("echo $V0$V1$V2$V3 $GIVEN"), b"0123 1\n")


@check()
async def parallel_commands_have_their_input(bench: Bench) -> None:
    """A command beside another is given its input, and may leave it unread."""
    busy, heard = bench.begin("echo up; while [ ! -e go ]; do sleep 0.05; done")
    await heard.until(b"up")
    data = b"x" * 1_000_000
    same(await bench.out("cat", stdin=data), data)
    ran = await bench.run("echo unread", stdin=data)
    same((ran.code, ran.out), (0, b"unread\n"))
    same((await bench.run("sleep 60", stdin=data, timeout_seconds=0.3)).how, "timed out")
    await bench.run("touch go")
    await busy


@check()
async def parallel_functions_and_aliases_survive(bench: Bench) -> None:
    """Functions, aliases and plain variables of commands that run at once are kept too."""
    texts = ("f() { echo f; }", "alias a='echo a'", "p=p", "g() { echo g; }", "umask 022")
    await asyncio.gather(*(bench.run(f"{text}; sleep 0.1") for text in texts))
    same(await bench.out("f; a; echo $p; g"), b"f\na\np\ng\n")


@check()
async def parallel_changes_of_one_kind_survive(bench: Bench) -> None:
    """Commands that run at once each add an alias or switch an option, and all of that stays."""
    texts = (
        "alias a='echo a'",
        "alias b='echo b'",
        "alias c='echo c'",
        "set -f",
        "set -o pipefail",
    )
    await asyncio.gather(*(bench.run(f"{text}; sleep 0.1") for text in texts))
    same(await bench.out("a; b; c; echo *; false | true; echo $?"), b"a\nb\nc\n*\n1\n")


@check()
async def parallel_commands_run_at_once(bench: Bench) -> None:
    """Commands that wait for each other all end."""
    meet = "touch m{n}; while [ $(ls m* | wc -l) -lt 4 ]; do sleep 0.05; done; echo met"
    ran = await asyncio.gather(*(bench.run(meet.replace("{n}", str(n))) for n in range(4)))
    same([each.out for each in ran], [b"met\n"] * 4)


@check()
async def parallel_output_does_not_mix(bench: Bench) -> None:
    """Each of many commands gets exactly what it printed."""

    async def one(number: int) -> None:
        ran = await bench.run(f"for i in $(seq 300); do echo {number}; done; exit {number}")
        same((ran.code, ran.out), (number, b"%d\n" % number * 300))

    await asyncio.gather(*(one(number) for number in range(12)))


@check()
async def parallel_commands_see_the_state(bench: Bench) -> None:
    """A command that runs beside another has the task's variables, functions and folder."""
    await bench.run("export A=1; b=2; f() { echo f; }; alias a='echo a'; mkdir d; cd d")
    busy, heard = bench.begin("echo up; while [ ! -e go ]; do sleep 0.05; done")
    await heard.until(b"up")
    same((await bench.out("echo $A $b; f; a; pwd")).decode(), f"1 2\nf\na\n{bench.path('d')}\n")
    await bench.run("touch go")
    same((await busy).exit_code, 0, "code")


@check()
async def what_is_set_beside_is_there_at_once(bench: Bench) -> None:
    """A change made while another command runs is seen by the next one, before that has ended."""
    busy, heard = bench.begin("echo up; while [ ! -e go ]; do sleep 0.05; done; export LATE=1")
    await heard.until(b"up")
    await bench.run("export EARLY=1")
    same(await bench.out("echo $EARLY"), b"1\n")
    await bench.run("unset EARLY; export NEXT=1")
    same(await bench.out("echo [$EARLY] $NEXT; touch go"), b"[] 1\n")
    await busy
    same(await bench.out("echo [$EARLY] $NEXT $LATE"), b"[] 1 1\n")


@check()
async def one_that_dies_does_not_disturb_the_others(bench: Bench) -> None:
    """A command that kills its shell leaves those beside it alone."""
    first, heard = bench.begin(
        "echo up; while [ ! -e go ]; do sleep 0.05; done; echo one; export F=1"
    )
    await heard.until(b"up")
    ran = await bench.run("export G=1; kill -9 $$")
    holds(ran.code in (137, -9), f"code {ran.code}")
    same((await bench.run("exit 5")).code, 5, "code")
    await bench.run("touch go")
    same(((await first).exit_code, heard.out), (0, b"up\none\n"))
    same(await bench.out("echo $F"), b"1\n")


@check()
async def a_folder_of_its_own_stays_its_own_beside(bench: Bench) -> None:
    """A workdir is for one command only also while another runs."""
    await bench.run("mkdir w")
    busy, heard = bench.begin("echo up; while [ ! -e go ]; do sleep 0.05; done")
    await heard.until(b"up")
    same((await bench.out("pwd", cwd=bench.path("w"))).decode(), bench.path("w") + "\n")
    same((await bench.out("pwd; touch go")).decode(), f"{bench.environment.root}\n")
    await busy


@check()
async def two_environments_run_at_once(bench: Bench) -> None:
    """A task that is busy does not hold up another."""
    other = await bench.another()
    busy, heard = bench.begin("echo up; while [ ! -e go ]; do sleep 0.05; done")
    await heard.until(b"up")
    same(await other.out("echo free"), b"free\n")
    await bench.run("touch go")
    await busy


@check()
async def calls_may_come_from_any_loop(bench: Bench) -> None:
    """A task is not bound to the event loop that it began on."""
    await bench.run("export A=1")
    started = await bench.spawn("read x; echo $x; exit 3")

    async def elsewhere() -> None:
        same(await bench.out("echo $A; B=2"), b"1\n")
        await started.process.write(b"hello\n")
        same((await started.process.wait()).exit_code, 3, "code")
        await asyncio.gather(*(bench.run(f"export L{n}={n}") for n in range(3)))

    def thread() -> None:
        with asyncio.Runner() as runner:
            runner.run(elsewhere())

    await asyncio.to_thread(thread)
    same(await bench.out("echo $B $L0$L1$L2"), b"2 012\n")
    same((await started.end()).exit_code, 3, "code")
