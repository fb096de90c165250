"""Scripts where the commands of a task run: containers, another machine, services in the cloud."""

import asyncio
import contextlib
import fcntl
import json
import runpy
import time
from pathlib import Path

import pytest

from hermes import Runtime

HERE = Path(__file__).parent
PLACES = runpy.run_path(str(HERE / "places.py"))
KILLING = runpy.run_path(str(HERE / "killing.py"))
CALLS = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from hermes_tools import ToolFailed, aio, gather, read_file, terminal, write_file
write_file("made.txt", "by a script\\n")
print(read_file("made.txt")["content"], os.getcwd() == terminal("pwd")["stdout"].strip())
try:
    read_file("missing")
except ToolFailed as error:
    print(error.code)
meeting = "touch up-{}; until [ $(ls | grep -c up-) -ge 6 ]; do sleep 0.05; done"
print(len(gather(aio.terminal(meeting.format(n)) for n in range(6))))
with ThreadPoolExecutor(4) as pool:
    print(sum(each["size"] for each in pool.map(read_file, ["made.txt"] * 4)))
print([each["size"] for each in await aio.gather(*(aio.read_file("made.txt") for _ in "ab"))])
print("told", file=sys.stderr)
"""
PROCESSES = """
import multiprocessing, subprocess, sys
from hermes_tools import read_file, write_file
write_file("made.txt", "by a script\\n")
child = "from hermes_tools import read_file; print(read_file('made.txt')['size'], flush=True)"
subprocess.run([sys.executable, "-c", child])
with multiprocessing.get_context("fork").Pool(3) as pool:
    print([each["size"] for each in pool.map(read_file, ["made.txt"] * 3)])
"""
STAYS = 'import subprocess\nsubprocess.Popen(["setsid", "flock", "held", "sleep", "600"])\n'
KILLED = f"{STAYS}import os, signal\nprint('begun', flush=True)\nos.kill(os.getpid(), 9)"
DEAF = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('deaf')\ntime.sleep(60)"


@pytest.fixture(scope="module", params=PLACES["NAMES"])
def place(request):
    with PLACES["place"](request.param) as found:
        yield found


@pytest.fixture
def drive(place, tmp_path):
    """Run a story that is given a caller of tools there."""

    def run(story, **code):
        config = {**place.config, "code": {"backend": "python", **code}}

        async def main():
            async with Runtime(cwd=tmp_path, config=config) as rt:

                async def call(code, tool="execute_code", **more):
                    key = "code" if tool == "execute_code" else "command"
                    return json.loads(await rt.call(tool, {key: code, **more}))

                return await asyncio.wait_for(story(call), 55)

        return asyncio.run(main())

    return run


@pytest.mark.proves("script-elsewhere")
def test_a_script_calls_tools_there_one_by_one_and_at_once(drive):
    answer = drive(lambda call: call(CALLS))
    assert answer["stdout"].splitlines() == [
        "1|by a script True",
        "not_found",
        "6",
        "48",
        "[12, 12]",
    ], answer
    assert (answer["status"], answer["stderr"]) == ("success", "told\n")
    assert answer["tool_calls_made"] == 16


@pytest.mark.proves("script-processes")
def test_processes_of_a_script_call_tools_there(drive):
    answer = drive(lambda call: call(PROCESSES))
    assert answer["stdout"] == "12\n[12, 12, 12]\n", answer
    assert answer["tool_calls_made"] == 5


@pytest.mark.proves("script-limits")
def test_limits_hold_there(drive):
    many = "from hermes_tools import read_file\nfor n in range(9): read_file('.')"

    async def story(call):
        return [
            await call(DEAF, timeout=1),
            await call(f"try:\n    raise SystemExit\nexcept SystemExit: pass\n{_caught(many)}"),
            await call("while True: print('x' * 65536)"),
            await call("x = []\nwhile True: x.append(bytearray(10_000_000))", timeout=20),
            await call("with open('big', 'wb') as f:\n    while True: f.write(b'x' * 1_000_000)"),
            await call("print('well')"),
        ]

    limits = {"max_calls": 3, "printed_megabytes": 1, "memory_megabytes": 200, "disk_megabytes": 5}
    deaf, calls, flood, greedy, full, after = drive(story, **limits)
    assert (deaf["status"], deaf["stdout"]) == ("timeout", "deaf\n")
    assert "more than 3 tool calls" in calls["reason"]
    assert "printed more than 1 MB" in flood["reason"]
    assert "200 MB of memory" in greedy["note"]
    assert "files of 5 MB" in full["note"]
    assert after["stdout"] == "well\n"


def _caught(code):
    return code.replace("read_file('.')", "\n  try: read_file('.')\n  except Exception: pass")


@pytest.mark.proves("script-killed")
def test_of_a_script_that_is_killed_or_ends_nothing_is_left_there(drive):
    free = "flock -w 10 held true; echo $?; ls -A /tmp | grep -c hermes_tools"

    async def story(call):
        ended = await call(f"{STAYS}print('done')")
        first = await call(free, "terminal")
        killed = await call(KILLED)
        return ended, first["stdout"], killed, (await call(free, "terminal"))["stdout"]

    ended, after_end, killed, after_kill = drive(story)
    assert (ended["stdout"], ended["status"]) == ("done\n", "success"), ended
    assert (killed["stdout"], killed["status"]) == ("begun\n", "error"), killed
    assert (after_end, after_kill) == ("0\n0\n", "0\n0\n")


@pytest.mark.proves("script-killed")
def test_a_script_there_ends_with_a_killed_hermes(place, drive, tmp_path):
    def there():
        try:
            return place.workspace(tmp_path)
        except ValueError:
            return None  # there is no sandbox yet

    config = {**place.config, "code": {"backend": "python"}}
    with contextlib.ExitStack() as opened:
        with KILLING["running"](config, tmp_path, "killed_script.py", there) as child:
            locks = [
                opened.enter_context((there() / name).open())
                for name in ("foreground", "background")
            ]
            KILLING["kill"](child)
        if place.is_cloud:  # what runs there may outlive a connection, but not the next start
            drive(lambda call: call("true", "terminal"))
        assert all(_is_freed(lock) for lock in locks)


def _is_freed(lock):
    """Say whether whoever held a lock has ended, waiting a little for it."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(0.05)
    return False
