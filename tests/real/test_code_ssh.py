"""Code and sessions where the commands of a task run: on a machine reached by a real sshd."""

import asyncio
import json
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hermes import Runtime

SSHD = runpy.run_path(str(Path(__file__).parent / "sshd.py"))
if reason := SSHD["missing"]():
    pytest.skip(reason, allow_module_level=True)
pytest.importorskip("ipykernel", reason="needs the extra code")

PATH = f"{Path(sys.executable).parent}:/usr/bin:/bin"


@pytest.fixture
def call(tmp_path):
    """Return what runs calls, one after the other, on a machine of its own."""
    there = tmp_path / "there"
    there.mkdir()
    with tempfile.TemporaryDirectory(prefix="hsd-", dir="/tmp") as folder:
        made = SSHD["Sshd"](folder)
        made.start()
        config = {
            "terminal": {"environment": "ssh"},
            "ssh": {"host": "box", "config": str(made.config), "root": str(there)},
        }

        async def main(calls):
            async with Runtime("trusted", cwd=tmp_path, config=config) as rt:
                found = await rt.call("terminal", {"command": f"export PATH={PATH}"})
                assert json.loads(found)["exit_code"] == 0, found
                return [json.loads(await rt.call(tool, asked)) for tool, asked in calls]

        yield lambda calls: asyncio.run(asyncio.wait_for(main(calls), 55))
        ending = ["ssh", "-F", str(made.config), "-O", "exit", "shared"]
        subprocess.run(ending, capture_output=True, timeout=5)
        made.stop()


@pytest.mark.proves("code-folder")
def test_code_runs_on_the_machine_of_its_task_and_leaves_nothing(call, tmp_path):
    code = "open('out.txt', 'w').write('hello')\nimport os\nos.getcwd()"
    ran, late, left = call(
        [
            ("code_execute", {"code": code, "save_to": "kept"}),
            ("code_execute", {"code": "echo begun; sleep 60", "language": "bash", "timeout": 1}),
            ("terminal", {"command": "ls -d /tmp/hermes-code-* 2>/dev/null"}),
        ]
    )
    assert (ran["status"], ran["files"]) == ("ok", [{"path": "out.txt", "bytes": 5}])
    assert (tmp_path / "there" / "kept" / "out.txt").read_text() == "hello"
    assert (late["status"], late["stdout"]) == ("timeout", "begun\n")
    assert Path(ran["value"].strip("'")).name not in left["stdout"]


@pytest.mark.proves("repl-state")
def test_a_session_lives_on_the_machine_of_its_task(call, tmp_path):
    first, stopped, after = call(
        [
            ("repl", {"code": "import os\nx = 41\nos.getcwd()"}),
            ("repl", {"code": "while True: pass", "timeout": 1}),
            ("repl", {"code": "x + 1"}),
        ]
    )
    assert first["value"] == repr(str(tmp_path / "there")), first
    assert stopped["status"] == "timeout"
    assert after["value"] == "42"
