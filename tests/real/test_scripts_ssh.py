"""Scripts where the commands of a task run: on a machine reached by a real sshd."""

import asyncio
import json
import runpy
import subprocess
import tempfile
from pathlib import Path

import pytest

from hermes import Runtime

SSHD = runpy.run_path(str(Path(__file__).parent / "sshd.py"))
if reason := SSHD["missing"]():
    pytest.skip(reason, allow_module_level=True)

CODE = """
import os, subprocess
from hermes_tools import aio, gather, read_file, terminal, write_file
write_file("made.txt", "by a script\\n")
print(read_file("made.txt")["content"], os.getcwd() == terminal("pwd")["stdout"].strip())
print(len(gather(aio.terminal("sleep 0.2") for _ in range(5))))
subprocess.Popen(["sleep", "60"])
"""


@pytest.fixture
def server():
    with tempfile.TemporaryDirectory(prefix="hsd-", dir="/tmp") as folder:
        made = SSHD["Sshd"](folder)
        made.start()
        yield made
        ending = ["ssh", "-F", str(made.config), "-O", "exit", "shared"]
        subprocess.run(ending, capture_output=True, timeout=5)
        made.stop()


@pytest.mark.proves("script-elsewhere")
def test_a_script_runs_on_the_machine_of_its_task(server, tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    config = {
        "terminal": {"environment": "ssh"},
        "ssh": {"host": "box", "config": str(server.config), "root": str(there)},
        "code": {"backend": "python"},
    }

    async def main():
        async with Runtime(cwd=tmp_path, config=config) as rt:
            answer = json.loads(await rt.call("execute_code", {"code": CODE}))
            late = json.loads(
                await rt.call(
                    "execute_code", {"code": "print('begun')\nwhile True: pass", "timeout": 1}
                )
            )
            return answer, late

    answer, late = asyncio.run(asyncio.wait_for(main(), 55))
    assert answer["stdout"] == "1|by a script True\n5\n", answer
    assert (answer["status"], answer["tool_calls_made"]) == ("success", 8)
    assert (there / "made.txt").read_text() == "by a script\n"
    assert (late["status"], late["stdout"]) == ("timeout", "begun\n")
