"""Programs in real boxes: limits, ends, cancelling, environments, the proxy, and what must work."""

import asyncio
import contextlib
import os
import runpy
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from hermes.environments.sandbox.box import MEGABYTE, Limits
from hermes.environments.sandbox.choose import choose
from hermes.environments.sandbox.denials import explain
from hermes.environments.sandbox.proxy import Allowed, Proxy
from hermes.environments.sandbox.run import Sandbox

WORLD = runpy.run_path(str(Path(__file__).parents[1] / "faults" / "sandbox_world.py"))
sandbox, world = WORLD["sandbox"], WORLD["world"]


def run(sandbox, world, script, *, box=None, seconds=20, **options):
    return sandbox.run(
        ["bash", "-c", script],
        box or world.box(),
        env=world.environment(),
        cwd=str(world.workspace),
        seconds=seconds,
        **options,
    )


def python(sandbox, world, code, **options):
    argv = [WORLD["PYTHON"], "-I", "-S", "-c", code]
    box = options.pop("box", None) or world.box()
    return sandbox.run(argv, box, env=world.environment(), cwd=str(world.workspace), **options)


def test_a_program_gets_its_input_and_gives_back_output_errors_and_code(sandbox, world):
    done = run(sandbox, world, "cat; echo wrong >&2; exit 7", stdin=b"x" * 300_000)
    assert (done.code, done.output, done.errors) == (7, b"x" * 300_000, b"wrong\n")
    assert not done.timed_out


def test_existing_files_of_the_workspace_can_be_changed(sandbox, world):
    done = run(sandbox, world, "echo changed > README && cat README")
    assert done.output == b"changed\n", done.errors
    assert (world.workspace / "README").read_text() == "changed\n"


def test_no_canary_of_the_environment_is_seen(sandbox, world):
    names = WORLD["CANARY_NAMES"]
    assert len(names) == 38
    seen = run(sandbox, world, "env").output.decode()
    visible = {line.partition("=")[0] for line in seen.splitlines()}
    assert visible.isdisjoint(names)


def test_only_three_descriptors_are_open(sandbox, world):
    listed = python(
        sandbox, world, "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))"
    )
    assert listed.output.decode().strip() in {"[0, 1, 2, 3]", "[0, 1, 2]"}, listed


def test_a_program_has_no_capabilities_and_gains_none(sandbox, world):
    said = run(sandbox, world, "grep -E 'CapEff|CapPrm|NoNewPrivs|Seccomp:' /proc/self/status")
    facts = dict(line.split(":\t") for line in said.output.decode().splitlines())
    assert facts == {
        "CapPrm": "0000000000000000",
        "CapEff": "0000000000000000",
        "NoNewPrivs": "1",
        "Seccomp": "2",
    }


def test_a_program_that_ignores_every_signal_is_killed_when_late(sandbox, world):
    script = "trap '' TERM INT HUP QUIT; setsid bash -c 'exec -a $MARK sleep 1000' & sleep 1000"
    done = run(sandbox, world, script, seconds=0.5)
    assert done.timed_out
    assert done.code in {-signal.SIGKILL, 128 + signal.SIGKILL}
    assert world.left_over() == []


def test_cancelling_the_wait_leaves_nothing_behind(sandbox, world):
    async def main():
        running = await sandbox.start(
            ["bash", "-c", "setsid bash -c 'exec -a $MARK sleep 1000' & echo up; sleep 1000"],
            world.box(),
            env=world.environment(),
        )
        assert await running.stdout.readline() == b"up\n"
        waiting = asyncio.create_task(running.wait())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await running.child.ended()

    asyncio.run(main())
    assert world.left_over() == []


def test_a_signal_reaches_the_group(sandbox, world):
    readable, writable = os.pipe()
    quiet = os.open(os.devnull, os.O_RDWR)
    child = sandbox.spawn(
        ["bash", "-c", "trap 'echo got; exit 3' INT; echo up; sleep 1000 & wait"],
        world.box(),
        env=world.environment(),
        standard=(quiet, writable, quiet),
    )
    os.close(writable)
    assert os.read(readable, 10) == b"up\n"
    child.signal(signal.SIGINT)
    if sandbox.backend.name == "landlock":
        assert child.wait(10) == 3
    child.close()
    os.close(readable)
    os.close(quiet)


def test_closing_the_sandbox_ends_what_runs(world):
    with Sandbox(choose()) as sandbox:
        quiet = os.open(os.devnull, os.O_RDWR)
        argv = ["bash", "-c", "exec -a $MARK sleep 1000"]
        sandbox.spawn(argv, world.box(), env=world.environment(), standard=(quiet,) * 3)
        os.close(quiet)
    assert world.left_over() == []


def test_memory_is_limited(sandbox, world):
    box = replace(world.box(), limits=Limits(memory_bytes=200 * MEGABYTE))
    done = python(sandbox, world, "x = bytearray(400 << 20); print('got it')", box=box)
    assert b"got it" not in done.output
    assert done.code != 0


def test_processes_are_limited(sandbox, world):
    box = replace(world.box(), limits=Limits(processes=40))
    code = """
import os, time
made = 0
try:
    while made < 500:
        if os.fork() == 0:
            time.sleep(60)
        made += 1
except OSError:
    pass
print(made)
"""
    done = python(sandbox, world, code, box=box, seconds=20)
    assert 0 < int(done.output) < 60


def test_every_box_has_its_own_limit_of_processes(sandbox, world):
    box = replace(world.box(), limits=Limits(processes=30))
    many = "for i in $(seq 15); do sleep 60 & done; jobs -p | wc -l; echo > started; wait"
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            reading, writing = os.pipe()
            quiet = os.open(os.devnull, os.O_RDWR)
            child = sandbox.spawn(
                ["/bin/bash", "-c", many],
                box,
                env=world.environment(),
                standard=(quiet, writing, quiet),
            )
            stack.callback(child.close)
            os.close(writing)
            os.close(quiet)
            with os.fdopen(reading, "rb") as said:
                assert said.readline() == b"15\n"


def test_a_fork_bomb_ends_when_it_is_late(sandbox, world):
    box = replace(world.box(), limits=Limits(processes=100))
    done = run(sandbox, world, ":(){ :|:& };:; sleep 1000", box=box, seconds=1)
    assert done.timed_out or done.code != 0


def test_file_size_is_limited(sandbox, world):
    box = replace(world.box(), limits=Limits(file_bytes=MEGABYTE))
    run(sandbox, world, "head -c 5000000 /dev/zero > README", box=box)
    assert (world.workspace / "README").stat().st_size <= MEGABYTE


def test_processor_time_is_limited(sandbox, world):
    box = replace(world.box(), limits=Limits(cpu_seconds=1))
    done = run(sandbox, world, "while :; do :; done", box=box, seconds=30)
    assert not done.timed_out
    assert done.code in {-signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGXCPU, 137}


def test_open_files_are_limited(sandbox, world):
    box = replace(world.box(), limits=Limits(open_files=32))
    done = python(sandbox, world, "x = [open('/dev/null') for _ in range(100)]", box=box)
    assert b"Too many open files" in done.errors


def test_a_program_that_is_not_there_is_an_error(sandbox, world):
    try:
        done = sandbox.run(["no-such-program"], world.box(), env=world.environment())
    except FileNotFoundError:
        return
    assert done.code != 0
    assert b"no-such-program" in done.errors


def test_a_granted_path_can_be_written_and_nothing_beside_it(sandbox, world):
    granted = world.outside / "granted"
    granted.mkdir()
    box = world.box().granting(writable=[granted])
    script = 'echo yes > "$OUT/granted/new"; echo no > "$OUT/new"'
    run(sandbox, world, script, box=box)
    assert (granted / "new").read_text() == "yes\n"
    assert not (world.outside / "new").exists()


def test_a_denial_names_the_rule(sandbox, world):
    done = run(sandbox, world, "echo x > .git/config")
    said = explain(world.box(), done.errors.decode(), 1, cwd=str(world.workspace))
    assert said == (
        f"{world.workspace}/.git/config is protected: commands may not change "
        f"{world.workspace}/.git/config."
    )


def test_a_box_follows_when_a_place_in_it_is_replaced(sandbox, world):
    run(sandbox, world, "true")
    (world.workspace / ".git" / "hooks" / "kept").unlink()
    (world.workspace / ".git" / "hooks").rmdir()
    (world.workspace / ".git" / "hooks").mkdir()
    run(sandbox, world, "echo planted > .git/hooks/post-commit")
    assert list((world.workspace / ".git" / "hooks").iterdir()) == []


def test_scratch_is_kept_between_commands_and_is_no_ones_tmp(sandbox, world, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    box = world.box(scratch=scratch)
    run(sandbox, world, 'echo kept > "$TMPDIR/note"', box=box)
    assert run(sandbox, world, 'cat "$TMPDIR/note"', box=box).output == b"kept\n"
    assert (scratch / "note").read_text() == "kept\n"


ASK = """
import socket, sys
s = socket.create_connection(("127.0.0.1", 3128), 5)
s.sendall(sys.argv[1].encode().decode("unicode_escape").encode())
print(s.makefile("rb").read().decode())
"""


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("GET http://allowed.test:{port}/x HTTP/1.1\\r\\n\\r\\n", "hello from outside"),
        (
            "CONNECT allowed.test:{port} HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.1\\r\\n\\r\\n",
            "hello from",
        ),
        ("GET http://other.test:{port}/ HTTP/1.1\\r\\n\\r\\n", "not among the allowed hosts"),
        ("POST http://allowed.test:{port}/ HTTP/1.1\\r\\n\\r\\n", "method POST is not allowed"),
        ("CONNECT private.allowed.test:{port} HTTP/1.1\\r\\n\\r\\n", "refused: private address"),
        ("CONNECT allowed.test:1 HTTP/1.1\\r\\n\\r\\n", "not among the allowed hosts"),
    ],
)
def test_only_allowed_hosts_are_reached_through_the_proxy(sandbox, world, request_text, expected):
    if not sandbox.backend.builds_tree:
        pytest.skip("a loopback of its own needs user namespaces")

    async def check(host, port):
        if host.startswith("private."):
            raise ValueError("private address")
        return "127.0.0.1"

    async def main():
        async def hello(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello from outside")
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(hello, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        proxy = Proxy(Allowed(("allowed.test", "*.allowed.test"), ports=(port,)), check)
        argv = [WORLD["PYTHON"], "-I", "-S", "-c", ASK, request_text.format(port=port)]
        box = world.box(network="proxy")
        running = await sandbox.start(argv, box, env=world.environment(), proxy=proxy)
        said = await running.stdout.read()
        failed = await running.stderr.read()
        await running.wait(10)
        await proxy.close()
        server.close()
        return said.decode() + failed.decode()

    assert expected in asyncio.run(main())
