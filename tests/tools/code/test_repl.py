"""Sessions through their public door: cells that build on each other."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hermes import Runtime

pytest.importorskip("ipykernel", reason="needs the extra code")
NODE = pytest.mark.skipif(not shutil.which("node"), reason="needs node (apt package nodejs)")
OWN = Path(sys.executable).parent


@pytest.fixture
def drive(tmp_path):
    """Run a coroutine that is given a caller, with a runtime in a workspace of its own."""

    def run(story, **options):
        async def main():
            async with Runtime(cwd=tmp_path, **options) as rt:

                async def call(code=None, *, task=None, **more):
                    arguments = more if code is None else {"code": code, **more}
                    return json.loads(await rt.call("repl", arguments, task))

                call.runtime = rt
                return await asyncio.wait_for(story(call), 100)

        return asyncio.run(main())

    return run


@pytest.mark.proves("repl-state")
def test_a_session_remembers_and_no_other_task_sees_it(drive, tmp_path):
    async def story(call):
        await call("import math\nx = 40\ndef twice(n):\n    return 2 * n")
        return (
            await call("x + twice(1)"),
            await call("open('here.txt', 'w').write('hello')"),
            await call("x", task="other"),
            await call("x", session_id="second"),
        )

    value, written, other, second = drive(story)
    assert value == {"value": "42", "status": "ok", "count": 2, "session_id": "python"}
    assert (written["value"], (tmp_path / "here.txt").read_text()) == ("5", "hello")
    assert other["exception"] == second["exception"] == "NameError: name 'x' is not defined"


def test_output_comes_in_order_also_of_programs(drive):
    code = "import subprocess\nprint('a')\nsubprocess.run(['echo', 'b'])\nprint('c')\n7"

    async def story(call):
        return await call(code)

    answer = drive(story)
    assert sorted(answer["output"].split()) == ["a", "b", "c"]
    assert answer["value"] == "7"


def test_an_exception_is_told_with_the_lines_of_its_cell(drive):
    async def story(call):
        return await call("def f():\n    return 1 / 0\nf()")

    answer = drive(story)
    assert (answer["status"], answer["exception"]) == (
        "error",
        "ZeroDivisionError: division by zero",
    )
    assert "----> 2     return 1 / 0" in answer["traceback"]


def test_awaiting_and_tasks_work_between_cells(drive):
    async def story(call):
        await call("import asyncio\nready = asyncio.create_task(asyncio.sleep(0.01, 'done'))")
        return await call("await ready")

    assert drive(story)["value"] == "'done'"


@pytest.mark.proves("repl-rich")
def test_plots_are_images_and_tables_text(drive, monkeypatch):
    monkeypatch.setenv("PATH", f"{OWN}:{os.environ['PATH']}")
    table = "class Table:\n    def _repr_html_(self):\n        return '<table><td>1</td></table>'\n"

    async def story(call):
        plot = await call("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nNone")
        return plot, await call(f"{table}Table()")

    plot, shown = drive(story)
    assert (plot["images"], plot["parts"][0]["media_type"]) == (1, "image/png")
    assert Path(plot["parts"][0]["path"]).read_bytes().startswith(b"\x89PNG")
    assert shown["value"] == "<table><td>1</td></table>" or "Table" in shown["value"]


@pytest.mark.proves("repl-interrupt")
@pytest.mark.parametrize(
    ("language", "define", "endless", "use"),
    [
        ("python", "x = 5", "print('begun')\nwhile True: pass", "x"),
        ("python", "x = 5", "import asyncio\nprint('begun')\nawait asyncio.sleep(99)", "x"),
        pytest.param(
            "javascript", "var x = 5", "console.log('begun'); while (true) {}", "x", marks=NODE
        ),
        pytest.param(
            "javascript",
            "var x = 5",
            "console.log('begun'); await new Promise(() => {})",
            "x",
            marks=NODE,
        ),
    ],
)
def test_a_cell_whose_time_is_up_is_interrupted_and_its_session_stays(
    drive, language, define, endless, use
):
    async def story(call):
        await call(define, language=language)
        return (
            await call(endless, language=language, timeout=1),
            await call(use, language=language),
        )

    stopped, after = drive(story)
    assert (stopped["status"], stopped["output"]) == ("timeout", "begun\n")
    assert stopped["note"].startswith("Interrupted after 1 s.")
    assert after["value"] == "5"


@pytest.mark.proves("repl-interrupt")
def test_a_cell_that_does_not_listen_ends_with_its_session(drive):
    deaf = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"

    async def story(call):
        return await call(deaf, timeout=0.5), await call("1 + 1")

    stopped, after = drive(story)
    assert stopped["status"] == "timeout"
    assert "its variables are gone" in stopped["note"]
    assert (after["value"], after["note"]) == (
        "2",
        "The session had ended before; this is a new one.",
    )


def test_a_call_that_is_given_up_interrupts_its_cell(drive):
    async def story(call):
        await call("x = 5")
        waiting = asyncio.create_task(call("import time\nwhile True: time.sleep(0.01)"))
        await asyncio.sleep(0.3)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return await call("x")

    assert drive(story)["value"] == "5"


@pytest.mark.proves("repl-state")
def test_a_session_is_emptied_and_closed(drive):
    async def story(call):
        await call("x = 5")
        reset = await call(action="reset")
        after = await call("x")
        closed = await call(action="close")
        return reset, after, closed, await call(action="close", session_id="none")

    reset, after, closed, none = drive(story)
    assert reset == {"session_id": "python", "status": "new"}
    assert after["status"] == "error"
    assert "note" not in after
    assert closed == {"session_id": "python", "status": "closed"}
    assert none["note"] == "There was no such session."


@NODE
def test_node_keeps_its_variables_and_shows_values(drive):
    async def story(call):
        await call("const list = [1, 2, {a: 3}]", language="javascript")
        return (
            await call("console.log('hi'); list", language="javascript"),
            await call("null.foo", language="javascript"),
            await call("list.length", language="python", session_id="javascript"),
        )

    value, broken, mixed = drive(story)
    assert (value["output"], value["value"]) == ("hi\n", "[ 1, 2, { a: 3 } ]")
    assert broken["exception"].startswith("TypeError: Cannot read properties of null")
    assert mixed["code"] == "invalid_arguments"


@pytest.mark.proves("repl-ends")
def test_sessions_end_with_their_task_and_with_the_runtime(drive, tmp_path):
    async def story(call):
        one = await call("import os; os.getpid(); open('/proc/self/stat').read().split()[21]")
        pids = kernels(tmp_path)
        await call("1", task="two")
        more = kernels(tmp_path)
        call.runtime.end_task("two")
        for _ in range(100):
            if kernels(tmp_path) == pids:
                break
            await asyncio.sleep(0.05)
        return one, pids, more, kernels(tmp_path)

    one, pids, more, after = drive(story)
    assert one["status"] == "ok"
    assert (len(pids) > 0, len(more) > len(pids), after) == (True, True, pids)
    assert kernels(tmp_path) == []


KILLED = """
import asyncio, json, os, sys
from hermes import Runtime

async def main():
    async with Runtime(cwd=sys.argv[1]) as rt:
        await rt.call("repl", {"code": "x = 5"})
        print("ready", flush=True)
        await rt.call("code_execute", {"code": "import time; time.sleep(4324)"})

asyncio.run(main())
"""


@pytest.mark.proves("repl-ends")
def test_a_killed_hermes_leaves_no_process_or_folder_after_the_next_start(drive, tmp_path):
    hermes = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert hermes.stdout.readline() == "ready\n"
    assert len(kernels(tmp_path)) == 1
    assert folders(hermes.pid)
    hermes.kill()
    hermes.communicate(timeout=5)

    async def story(call):
        return await call("1")

    assert drive(story)["value"] == "1"
    assert kernels(tmp_path) == []
    assert folders(hermes.pid) == []


@pytest.mark.proves("repl-bounded")
def test_many_cells_do_not_grow_a_session(drive):
    look = "int(next(l for l in open('/proc/self/status') if l.startswith('VmRSS')).split()[1])"

    async def story(call):
        for n in range(600):
            await call(f"'{n}' + 'x' * 100")
        before = int((await call(look))["value"])
        for n in range(500):
            await call(f"'{n}' + 'y' * 100")
        sizes = await call("import linecache\n(len(Out), len([i for i in In if i]))")
        return before, int((await call(look))["value"]), sizes["value"]

    before, after, sizes = drive(story)
    assert after - before < 1_500
    assert all(int(size) <= 520 for size in sizes.strip("()").split(","))


@pytest.mark.proves("repl-bounded")
def test_endless_output_is_cut(drive):
    async def story(call):
        await call("x = 5")
        return await call("for n in range(2_000_000): print(n)"), await call("x")

    printed, after = drive(story)
    assert len(printed["output"]) < 60_000
    assert printed["output"].startswith("0\n1\n")
    assert printed["output"].endswith("1999999\n")
    assert after["value"] == "5"


@pytest.mark.proves("code-judged")
@pytest.mark.parametrize("code", ["import os; os.remove('/etc/passwd')", "!rm -rf /etc", "%rm x"])
def test_cells_are_judged_by_what_they_would_do(drive, code):
    async def story(call):
        return await call(code)

    assert drive(story)["code"] == "denied"


@pytest.mark.proves("code-confined")
def test_a_session_neither_sees_hermes_nor_its_packages(drive, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    async def story(call):
        return await call("import hermes"), await call("import pydantic_monty")

    assert all(answer["exception"].startswith("ModuleNotFound") for answer in drive(story))


def test_a_python_without_the_kernel_says_how_to_get_it(drive, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr("hermes.services.repl.launching._lent", lambda: None)

    async def story(call):
        return await call("1")

    answer = drive(story)
    assert answer["error"].endswith("has no ipykernel")
    assert "pip install 'hermes-tools[code]'" in answer["hint"]


def folders(process):
    """Return the folders that the tasks of a process have on this machine."""
    places = [Path(tempfile.gettempdir()), Path("/dev/shm")]
    return [path for place in places for path in place.glob(f"hermes-*-{process}-*")]


def kernels(folder):
    """Return the processes that hold a Python session in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
            where = (path / "cwd").readlink()
        except OSError:
            continue
        if where == folder and any(b"Hold a Python session" in word for word in words[:3]):
            found.append(int(path.name))
    return sorted(found)
