"""Checks: input goes in and output comes out, byte for byte, whatever the bytes are."""

from __future__ import annotations

from hermes.environments.conformance.bench import Bench
from hermes.environments.conformance.suite import check, holds, same

_EVERY_BYTE = bytes(range(256))


@check()
async def streams_are_kept_apart(bench: Bench) -> None:
    """Output and errors do not mix."""
    ran = await bench.run("for i in 1 2 3; do echo out $i; echo err $i >&2; done")
    same(ran.out, b"out 1\nout 2\nout 3\n")
    same(ran.err, b"err 1\nerr 2\nerr 3\n")


@check()
async def leading_spaces_are_kept(bench: Bench) -> None:
    """Blanks and empty lines at the beginning belong to the output."""
    same(await bench.out("printf '\\n   indented\\n\\t tab\\n\\n'"), b"\n   indented\n\t tab\n\n")


@check()
async def a_missing_last_line_break_stays_missing(bench: Bench) -> None:
    """Nothing is added at the end, and the next output begins afresh."""
    same(await bench.out("printf end"), b"end")
    same(await bench.out("printf next"), b"next")


@check()
async def no_output_is_no_output(bench: Bench) -> None:
    """A silent command gives nothing."""
    ran = await bench.run("true")
    same((ran.out, ran.err), (b"", b""))


@check()
async def unicode_comes_through(bench: Bench) -> None:
    """Every script comes back as it was."""
    same((await bench.out("echo 'ünï 漢字 🙂 עברית'")).decode(), "ünï 漢字 🙂 עברית\n")


@check()
async def every_byte_comes_through(bench: Bench) -> None:
    """Output is bytes: NUL, escapes and invalid text included."""
    await bench.files.write(bench.path("bytes"), _EVERY_BYTE * 5)
    same(await bench.out("cat bytes"), _EVERY_BYTE * 5)


@check()
async def invalid_text_in_a_command_is_kept(bench: Bench) -> None:
    """A byte that is no text, as in an old file name, can be named in a command."""
    same(await bench.out("printf %s 'a\udcffb'"), b"a\xffb")


@check()
async def large_output_is_whole(bench: Bench) -> None:
    """Ten megabytes come back, none missing."""
    ran = await bench.run("head -c 10000000 /dev/zero | tr '\\0' x")
    same((ran.code, len(ran.out), ran.out.count(b"x")), (0, 10_000_000, 10_000_000))


@check()
async def large_errors_are_whole(bench: Bench) -> None:
    """Both streams may be large at once."""
    text = "head -c 2000000 /dev/zero | tee /dev/stderr"
    ran = await bench.run(f"{{ {text}; }} 2>&2")
    same((len(ran.out), len(ran.err)), (2_000_000, 2_000_000))


@check()
async def many_lines_come_in_order(bench: Bench) -> None:
    """A hundred thousand lines are in their order."""
    wanted = b"".join(b"%d\n" % number for number in range(1, 100_001))
    same(await bench.out("seq 1 100000"), wanted)


@check()
async def a_very_long_line_is_whole(bench: Bench) -> None:
    """A line may be as long as it likes."""
    same(len(await bench.out("head -c 3000000 /dev/zero | tr '\\0' y; echo")), 3_000_001)


@check()
async def output_comes_while_the_command_runs(bench: Bench) -> None:
    """Who watches sees what was printed before the end."""
    task, heard = bench.begin("echo first; while [ ! -e go ]; do sleep 0.05; done; echo last")
    await heard.until(b"first\n")
    holds(not task.done(), "it has ended already")
    await bench.run("touch go")
    same(((await task).exit_code, heard.out), (0, b"first\nlast\n"))


@check()
async def input_is_given(bench: Bench) -> None:
    """A command reads what it was given and then the end."""
    same(await bench.out("cat; echo end", stdin=b"given\nlines"), b"given\nlinesend\n")
    same(await bench.out("read a; read b; echo $b,$a", stdin=b"1\n2\n3\n"), b"2,1\n")


@check()
async def no_input_is_the_end(bench: Bench) -> None:
    """A command that was given nothing finds the end at once and never waits."""
    ran = await bench.run("cat; read x || echo none")
    same((ran.code, ran.out), (0, b"none\n"))


@check()
async def input_of_one_command_is_not_that_of_the_next(bench: Bench) -> None:
    """What was not read is forgotten."""
    await bench.run("read a", stdin=b"1\n2\n3\n")
    same(await bench.out("cat"), b"")
    same(await bench.out("cat", stdin=b"new"), b"new")


@check()
async def large_binary_input_is_whole(bench: Bench) -> None:
    """Input is bytes too, and may be larger than any pipe."""
    data = _EVERY_BYTE * 4096
    same(await bench.out("cat", stdin=data), data)


@check()
async def input_that_is_not_read_harms_nobody(bench: Bench) -> None:
    """A command may ignore what it is given."""
    ran = await bench.run("echo ignored", stdin=b"x" * 1_000_000)
    same((ran.code, ran.out), (0, b"ignored\n"))


@check()
async def a_closed_reader_ends_a_writer(bench: Bench) -> None:
    """In a pipeline the first program ends when the last has read enough."""
    ran = await bench.run("yes | head -n 2")
    same((ran.code, ran.out), (0, b"y\ny\n"))
