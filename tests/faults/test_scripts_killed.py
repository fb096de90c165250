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
