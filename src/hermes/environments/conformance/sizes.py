"""Checks: long commands, many words and large environments work, or say why they cannot."""

from __future__ import annotations

from hermes.environments.conformance.bench import Bench
from hermes.environments.conformance.suite import check, holds, same


@check()
async def a_command_of_a_megabyte_runs(bench: Bench) -> None:
    """No limit on arguments applies to the text of a command."""
    ran = await bench.run(f"x={'y' * 1_000_000}; echo ${{#x}}")
    same((ran.code, ran.out), (0, b"1000000\n"))


@check()
async def a_command_of_many_lines_runs(bench: Bench) -> None:
    """Ten thousand lines are ten thousand commands."""
    ran = await bench.run("n=0\n" + "n=$((n+1))\n" * 10_000 + "echo $n")
    same((ran.code, ran.out), (0, b"10000\n"))


@check()
async def here_documents_work(bench: Bench) -> None:
    """Text that is given in the command arrives as it stands."""
    same(
        await bench.out("cat <<'END'\n  $HOME `x`\n\\\nEND\necho after"),
        b"  $HOME `x`\n\\\nafter\n",
    )
    same(await bench.out("x=5; cat <<-END\n\tx is $x\n\tEND\n"), b"x is 5\n")
    same(await bench.out("cat <<<'one line'"), b"one line\n")


@check()
async def a_large_here_document_is_whole(bench: Bench) -> None:
    """A here-document may be larger than any pipe."""
    body = "0123456789abcdef\n" * 20_000
    same(await bench.out(f"cat <<'END'\n{body}END\n"), body.encode())


@check()
async def quoting_is_left_to_the_shell(bench: Bench) -> None:
    """A command is run as it stands, with all its quotes, escapes and line breaks."""
    text = "printf '%s|' \"a b\" 'c\"d' e\\ f $'g\\th' \"i\nj\" \\\n k"
    same(await bench.out(text), b'a b|c"d|e f|g\th|i\nj|k|')


@check()
async def many_words_run(bench: Bench) -> None:
    """A builtin takes as many words as memory holds."""
    same(await bench.out("set -- $(seq 1 100000); echo $#; set --"), b"100000\n")


@check()
async def too_many_words_are_told(bench: Bench) -> None:
    """What the system cannot start is told, and the task goes on."""
    ran = await bench.run("/bin/true $(seq 1 2000000)")
    same(ran.code, 126, "code")
    holds(b"too long" in ran.err, f"errors: {ran.err[-200:]!r}")
    same(await bench.out("echo goes on"), b"goes on\n")


@check()
async def a_large_environment_reaches_programs(bench: Bench) -> None:
    """Many and long variables are there for programs."""
    await bench.run("for i in $(seq 1 400); do export LARGE_$i=$(printf '%01000d' $i); done")
    same(await bench.out("env | grep -c ^LARGE_"), b"400\n")


@check()
async def an_environment_too_large_is_told_and_mended(bench: Bench) -> None:
    """A variable that no program can be given is told; the shell can still remove it."""
    await bench.run(f"export HUGE={'z' * 300_000}")
    ran = await bench.run("/bin/true")
    same(ran.code, 126, "code")
    holds(b"too long" in ran.err, f"errors: {ran.err[-200:]!r}")
    await bench.run("unset HUGE")
    same((await bench.run("/bin/true")).code, 0, "code")


@check()
async def a_large_variable_is_given_whole(bench: Bench) -> None:
    """A long value that a caller sets is there whole."""
    same(await bench.out("echo ${#LONG}", env={"LONG": "é" * 50_000}), b"50000\n")


@check()
async def a_hundred_commands_run(bench: Bench) -> None:
    """One command after the other, each with its own answer."""
    for number in range(100):
        same(await bench.out(f"echo {number}"), b"%d\n" % number)
