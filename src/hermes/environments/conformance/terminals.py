"""Checks: programs that want a terminal get one, of the size that was asked for."""

from __future__ import annotations

from hermes.environments.conformance.bench import Bench
from hermes.environments.conformance.suite import check, holds, same
from hermes.environments.contract import Screen

_SCREEN = Screen(100, 30)


@check(needs="pty")
async def a_terminal_is_a_terminal(bench: Bench) -> None:
    """On a terminal all three streams are one; without it none is."""
    text = "[ -t 0 ] && [ -t 1 ] && [ -t 2 ]"
    same((await bench.run(text, pty=_SCREEN)).code, 0, "on a terminal")
    same((await bench.run("[ -t 0 ] || [ -t 1 ] || [ -t 2 ]")).code, 1, "without one")


@check(needs="pty")
async def a_terminal_has_its_size(bench: Bench) -> None:
    """Programs learn the size of the screen."""
    same(await bench.out("stty size", pty=_SCREEN), b"30 100\r\n")


@check(needs="pty")
async def a_terminal_is_the_controlling_one(bench: Bench) -> None:
    """Programs that ask a person open the terminal by its name."""
    same(await bench.out("echo asked > /dev/tty", pty=_SCREEN), b"asked\r\n")


@check(needs="pty")
async def a_command_on_a_terminal_has_and_leaves_state(bench: Bench) -> None:
    """It is a command of the task like any other."""
    await bench.run("export A=1; mkdir d")
    ran = await bench.run("echo $A; cd d; export B=2; exit 3", pty=_SCREEN)
    same((ran.code, ran.out), (3, b"1\r\n"))
    same((await bench.out("echo $B; pwd")).decode(), f"2\n{bench.path('d')}\n")


@check(needs="pty background")
async def a_prompt_is_answered(bench: Bench) -> None:
    """What a program asks on its terminal can be answered."""
    started = await bench.spawn(
        "read -p 'name? ' n; read -s -p 'pass? ' p; echo; echo $n/$p", pty=_SCREEN
    )
    await started.heard.until(b"name? ")
    await started.process.write(b"you\n")
    await started.heard.until(b"pass? ")
    await started.process.write(b"secret\n")
    same((await started.end()).exit_code, 0, "code")
    holds(b"you/secret" in started.heard.out, f"output: {started.heard.out!r}")
    holds(started.heard.out.count(b"secret") == 1, f"it was echoed: {started.heard.out!r}")


@check(needs="pty background")
async def a_terminal_is_resized(bench: Bench) -> None:
    """Programs learn of a new size."""
    started = await bench.spawn("stty size; read x; stty size", pty=_SCREEN)
    await started.heard.until(b"30 100")
    await started.process.resize(Screen(61, 17))
    await started.process.write(b"\n")
    await started.end()
    holds(b"17 61" in started.heard.out, f"output: {started.heard.out!r}")


@check(needs="pty background")
async def keys_interrupt_and_end(bench: Bench) -> None:
    """Ctrl-C interrupts what runs on a terminal, and the end of input is told."""
    started = await bench.spawn("sh -c 'echo up; exec sleep 60'; echo no", pty=_SCREEN)
    await started.heard.until(b"up")
    await started.process.write(b"\x03")
    outcome = await started.end()
    holds(outcome.exit_code in (130, -2), f"code {outcome.exit_code}")
    started = await bench.spawn("cat; echo end", pty=_SCREEN)
    await started.process.write(b"line\n")
    await started.heard.until(b"line\r\nline\r\n")
    await started.process.close_input()
    same((await started.end()).exit_code, 0, "code")
    holds(started.heard.out.endswith(b"end\r\n"), f"output: {started.heard.out!r}")


@check(needs="pty background")
async def large_output_on_a_terminal_is_whole(bench: Bench) -> None:
    """Nothing is lost when the terminal goes."""
    started = await bench.spawn("seq 1 20000", pty=_SCREEN)
    await started.end()
    same(started.heard.out.split(), [b"%d" % n for n in range(1, 20_001)])


@check(needs="pty background")
async def closing_a_terminal_ends_its_command(bench: Bench) -> None:
    """A command on a terminal is ended with its children like any other."""
    started = await bench.spawn(
        "trap '' HUP; flock held sh -c 'echo up; sleep 60'; sleep 60", pty=_SCREEN
    )
    await started.heard.until(b"up")
    await started.process.close()
    holds(await bench.is_free("held"), "its child still runs")
