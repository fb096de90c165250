"""Whoever is killed, the script, its channel or hermes: nothing is left behind."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hermes import Runtime

CHILD = Path(__file__).with_name("script_child.py")
PYTHON = {"code": {"backend": "python"}}


def run(folder, code):
    async def main():
        async with Runtime(cwd=folder, config=PYTHON) as rt:
            return json.loads(await rt.call("execute_code", {"code": code}))

    return asyncio.run(asyncio.wait_for(main(), 50))


def beats(path, seconds=0.3):
    """Say whether somebody still writes to a file."""
    before = path.read_text()
    time.sleep(seconds)
    return path.read_text() != before


@pytest.mark.proves("script-killed")
def test_a_killed_hermes_leaves_no_process_and_the_next_one_no_folder(tmp_path, monkeypatch):
    folder, scratch = tmp_path / "work", tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    child = subprocess.Popen(
        [sys.executable, str(CHILD), str(folder)], env={**os.environ, "TMPDIR": str(scratch)}
    )
    marks = [folder / "alive", folder / "grandchild"]
    until = time.monotonic() + 40
    while not all(mark.exists() for mark in marks):
        assert child.poll() is None and time.monotonic() < until
        time.sleep(0.02)
    child.kill()
    child.wait()
    until = time.monotonic() + 10
    while any(beats(mark) for mark in marks):
        assert time.monotonic() < until, "the script lives on"
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    assert run(folder, "print('next')")["stdout"] == "next\n"
    assert [path.name for path in scratch.glob("hermes-task-*")] == []


def test_a_worker_that_a_killed_hermes_left_is_ended_by_the_next(tmp_path):
    pytest.importorskip("pydantic_monty", reason="needs the extra code")
    code = (
        "import asyncio, sys\nfrom hermes import Runtime\nasync def main():\n"
        "    async with Runtime(cwd=sys.argv[1]) as rt:\n"
        "        await rt.call('execute_code', {'code': 'print(1)'})\n"
        "        print('ready', flush=True)\n"
        "        await rt.call('execute_code', {'code': 'while True: pass'})\n"
        "asyncio.run(main())"
    )
    words = [sys.executable, "-c", code, str(tmp_path)]
    child = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    [worker] = workers_of(child.pid)
    time.sleep(0.3)
    child.kill()
    child.wait()
    child.stdout.close()

    async def main():
        async with Runtime(cwd=tmp_path) as rt:
            return json.loads(await rt.call("execute_code", {"code": "print(1)"}))

    assert asyncio.run(main())["backend"] == "monty"
    until = time.monotonic() + 5
    while is_running(worker):
        assert time.monotonic() < until
        time.sleep(0.02)


def workers_of(process):
    """Return the children of a process that are workers."""
    found = []
    for entry in filter(lambda entry: entry.name.isdigit(), Path("/proc").iterdir()):
        try:
            words = (entry / "cmdline").read_bytes()
            parent = (entry / "status").read_text().partition("PPid:\t")[2].split("\n")[0]
        except OSError:
            continue
        if parent == str(process) and b"monty" in words:
            found.append(int(entry.name))
    return found


def is_running(process):
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os, signal\nprint('last', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)", "9"),
        ("import hermes_tools as h, os\nprint('last')\n"
         "os.close(h._call.__closure__[0].cell_contents._read)\nh.read_file('x')", ""),
    ],
    ids=["script", "channel"],
)  # fmt: skip
def test_a_script_that_kills_itself_or_its_channel_is_told(tmp_path, code, said):
    answer = run(tmp_path, code)
    assert (answer["status"], answer["stdout"]) == ("error", "last\n"), answer
    assert answer["exit_code"] != 0
    assert not said or f"signal {signal.SIGKILL}" in answer["note"]
