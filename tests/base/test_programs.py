import asyncio
import os
import signal
import sys

import pytest

from hermes.base.errors import TimedOut, Unavailable
from hermes.base.programs import Finished, find, run

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "WORD": "seen"}


def program(code, **options):
    return asyncio.run(run([sys.executable, "-c", code], environment=ENVIRONMENT, **options))


def test_a_program_answers_its_output_errors_and_code():
    code = "import sys; print('out'); print('bad', file=sys.stderr); sys.exit(3)"
    assert program(code) == Finished(3, b"out\n", "bad")


def test_a_program_is_fed_and_sees_only_the_environment_it_is_handed():
    code = "import os, sys; print(sys.stdin.read(), os.environ['WORD'], 'HOME' in os.environ)"
    assert program(code, feed="grün".encode()).output == "grün seen False\n".encode()


def test_without_a_feed_a_program_reads_nothing():
    assert program("import sys; print(repr(sys.stdin.read()))").output == b"''\n"


def test_a_program_that_ignores_its_feed_is_no_error():
    assert program("pass", feed=b"x" * 5_000_000).code == 0


def test_endless_output_is_cut_and_its_program_ended():
    finished = program("while True: print('y' * 1000)", limit=10_000)
    assert (len(finished.output), finished.is_cut) == (10_000, True)


def test_output_of_exactly_the_limit_is_not_cut():
    finished = program("print('y' * 9)", limit=10)
    assert (finished.output, finished.is_cut) == (b"y" * 9 + b"\n", False)


@pytest.mark.parametrize("reads", [True, False])
def test_a_program_that_hangs_is_killed_with_its_children(tmp_path, reads):
    pids = tmp_path / "pids"
    code = f"""
import os, time, pathlib
child = os.fork()
if child == 0:
    time.sleep(60)
pathlib.Path({str(pids)!r}).write_text(str(child))
time.sleep(60)
"""
    with pytest.raises(TimedOut, match=r"gave no answer in 0\.5 s"):
        program(code, seconds=0.5, reads=reads)
    pid = int(pids.read_text())
    with pytest.raises(ProcessLookupError):
        while True:  # the orphan is reaped by init in its own time; the test's timeout bounds this
            os.kill(pid, 0)
            if _is_dead(pid):
                raise ProcessLookupError


def _is_dead(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return sys.platform == "linux"


def test_a_child_left_behind_does_not_hold_up_a_call_that_reads_nothing(tmp_path):
    left = tmp_path / "pid"
    code = f"""
import os, time, pathlib
pid = os.fork()
if pid == 0:
    os.setsid()
    time.sleep(60)
pathlib.Path({str(left)!r}).write_text(str(pid))
"""
    try:
        assert program(code, reads=False, seconds=10).code == 0
    finally:
        os.kill(int(left.read_text()), signal.SIGKILL)


def test_cancelling_kills_the_program():
    async def cancelled():
        others = _children()
        code = "import time; time.sleep(60)"
        task = asyncio.ensure_future(run([sys.executable, "-c", code], environment=ENVIRONMENT))
        while _children() == others:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert _children() == others

    asyncio.run(cancelled())


def _children():
    import psutil

    return {one.pid for one in psutil.Process().children()}


def test_a_program_that_is_not_there_is_unavailable():
    with pytest.raises(Unavailable, match="cannot be started: No such file"):
        asyncio.run(run(["/nowhere/at/all"], environment={}))


def test_programs_are_found_in_absolute_folders_only(tmp_path, monkeypatch):
    tool = tmp_path / "mytool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert find("mytool", {"PATH": str(tmp_path)}) == str(tool)
    assert find("mytool", {"PATH": ".:"}) is None
    assert find("mytool", {"PATH": ""}) is None
