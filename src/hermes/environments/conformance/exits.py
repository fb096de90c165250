"""Checks: exit codes are those of the command, and no way of ending one ends the task."""

from __future__ import annotations

import time

from hermes.environments.conformance.bench import Bench
from hermes.environments.conformance.suite import check, holds, same
from hermes.environments.contract import Refused

_CODES = (0, 1, 2, 3, 7, 64, 77, 100, 124, 125, 126, 127, 128, 129, 130, 137, 143, 200, 254, 255)


async def _goes_on(bench: Bench) -> None:
    same(await bench.out("echo goes on"), b"goes on\n", "the next command")


@check()
async def exit_codes_are_told(bench: Bench) -> None:
    """Every code of a program comes back as it is."""
    for code in _CODES:
        ran = await bench.run(f"sh -c 'exit {code}'")
        same((ran.code, ran.how), (code, "exited"))


@check()
async def exit_in_the_shell_tells_its_code(bench: Bench) -> None:
    """A command may end the shell; its code is told and the task goes on."""
    for code in (0, 5, 126, 127, 255):
        same((await bench.run(f"echo before; exit {code}; echo after")).code, code, "code")
    same((await bench.run("false; exit")).code, 1, "code")
    same((await bench.run("f() { exit 9; }; f")).code, 9, "code")
    await _goes_on(bench)


@check()
async def what_was_printed_before_an_exit_is_kept(bench: Bench) -> None:
    """Ending the shell loses nothing that came before."""
    ran = await bench.run("seq 1 5000; echo wrong >&2; exit 4")
    same((ran.code, len(ran.out.splitlines()), ran.err), (4, 5000, b"wrong\n"))


@check()
async def not_found_is_127(bench: Bench) -> None:
    """A command that does not exist is told by its code and by words."""
    ran = await bench.run("no-such-command-anywhere")
    same(ran.code, 127, "code")
    holds(b"no-such-command-anywhere" in ran.err, f"errors: {ran.err!r}")


@check()
async def not_executable_is_126(bench: Bench) -> None:
    """A file that cannot be executed is told by its code."""
    same((await bench.run("echo echo hi > plain; chmod 644 plain; ./plain")).code, 126, "code")


@check()
async def the_last_code_of_a_list_counts(bench: Bench) -> None:
    """Lists and pipelines have the code that the shell gives them."""
    codes = [
        (await bench.run(text)).code for text in ("false; true", "true; false", "false | true")
    ]
    same(codes, [0, 1, 0])


@check()
async def nothing_to_do_succeeds(bench: Bench) -> None:
    """An empty command, blank lines and a comment end well."""
    same([(await bench.run(text)).code for text in ("", "  \n\n", "# a comment")], [0, 0, 0])


@check()
async def a_program_ended_by_a_signal_is_told(bench: Bench) -> None:
    """The code says which signal it was, as shells do."""
    for number in (1, 2, 9, 15):
        ran = await bench.run(f"sh -c 'kill -{number} $$'")
        holds(ran.code in (128 + number, -number), f"signal {number}: code {ran.code}")
    await _goes_on(bench)


@check()
async def killing_the_shell_costs_one_command(bench: Bench) -> None:
    """A shell that is killed from within is told and comes back."""
    for number in (9, 15, 11):
        ran = await bench.run(f"echo before; kill -{number} $$; sleep 5; echo after")
        holds(ran.code in (128 + number, -number), f"signal {number}: code {ran.code}")
        same(ran.out, b"before\n")
        await _goes_on(bench)


@check()
async def syntax_errors_are_told(bench: Bench) -> None:
    """Text that is no command runs nothing, says so, and costs nothing."""
    for text in ("if true; then", "echo 'open", "echo )", "for do", "echo $(", "}"):
        ran = await bench.run(text)
        holds(ran.code not in (0, None), f"{text}: code {ran.code}")
        holds(ran.err, f"{text}: nothing is said")
        await _goes_on(bench)


@check()
async def set_e_ends_the_command_only(bench: Bench) -> None:
    """A command that wants to end at the first failure does, and the task goes on."""
    ran = await bench.run("set -e; echo before; false; echo after")
    same((ran.code, ran.out), (1, b"before\n"))
    await bench.run("set +e")
    await _goes_on(bench)


@check()
async def set_u_ends_the_command_only(bench: Bench) -> None:
    """A command that stops at an unknown variable does, and the task goes on."""
    ran = await bench.run("set -u; echo before; echo $no_such_variable; echo after")
    holds(ran.code not in (0, None), f"code {ran.code}")
    same(ran.out, b"before\n")
    await bench.run("set +u")
    await _goes_on(bench)


@check()
async def exec_replaces_the_command_only(bench: Bench) -> None:
    """A command may replace the shell by a program; the next one finds a shell."""
    ran = await bench.run("exec sh -c 'echo replaced; exit 6'")
    same((ran.code, ran.out), (6, b"replaced\n"))
    await _goes_on(bench)


@check()
async def redirecting_the_shell_ends_with_the_command(bench: Bench) -> None:
    """After ``exec >file`` the next command prints where it should."""
    await bench.run("exec >file 2>&1; echo kept")
    same(await bench.out("cat file; echo shown"), b"kept\nshown\n")
    await bench.run("exec >&- 2>&- <&-")
    await _goes_on(bench)


@check()
async def loose_control_words_cost_nothing(bench: Bench) -> None:
    """``break``, ``continue`` and ``return`` outside of what they are for harm nobody."""
    for text in ("break", "continue", "return 3", "break 99", "continue 2"):
        await bench.run(text)
        await _goes_on(bench)


@check()
async def traps_of_a_command_cost_nothing(bench: Bench) -> None:
    """A command may trap what it likes."""
    await bench.run("trap 'echo bye' EXIT; trap '' TERM INT; trap 'echo err' ERR")
    await bench.run("exit 2")
    same((await bench.run("trap - EXIT TERM INT ERR; echo goes on")).code, 0, "code")
    await _goes_on(bench)


@check()
async def shadowed_builtins_cost_nothing(bench: Bench) -> None:
    """Functions and aliases named like the shell's own commands do not break the task."""
    await bench.run('cd() { builtin cd "$@" && echo moved; }; printf() { echo no; }; read() { :; }')
    await bench.run("declare() { :; }; alias echo='echo aliased'; exit() { :; }; eval() { :; }")
    same(await bench.out("echo on"), b"aliased on\n")
    same(await bench.out("mkdir m; cd m"), b"moved\n")
    same((await bench.run("pwd")).outcome.cwd, bench.path("m"), "cwd")


@check()
async def text_that_no_shell_reads_is_refused(bench: Bench) -> None:
    """A NUL or half a character in a command or its variables never hangs the task."""
    for text, options in (
        ("echo a\0b", {}),
        ("echo \ud800", {}),
        ("echo $A", {"env": {"A": "x\0y"}}),
        ("pwd", {"cwd": bench.path("a\0b")}),
    ):
        try:
            await bench.run(text, **options)
        except Refused as error:
            holds(error.message, "it says nothing")
        await _goes_on(bench)


@check()
async def names_that_are_no_variables_are_refused(bench: Bench) -> None:
    """The name of a variable is never run as a command."""
    for options in ({"env": {"A=1; touch ran; B": "x"}}, {"unset": ("x; touch ran",)}):
        try:
            await bench.run("true", **options)
        except Refused as error:
            holds(error.message, "it says nothing")
    same((await bench.run("[ -e ran ]")).code, 1, "it was run; code")


@check()
async def durations_are_told(bench: Bench) -> None:
    """How long a command took is measured where it matters."""
    started = time.monotonic()
    ran = await bench.run("sleep 0.3")
    took = time.monotonic() - started
    holds(0.3 <= ran.outcome.seconds <= took + 0.01, f"{ran.outcome.seconds} of {took} s")
