"""Processes that a script starts: they call tools as it does, and reach nobody else's."""

import asyncio
import json
import sys

import pytest

from hermes import Runtime


async def yes(request):
    """Allow what cannot be known of a text that is run by another program."""
    return "once"


PYTHON = {"code": {"backend": "python"}}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture
def drive(hermes_home, tmp_path):
    """Run a coroutine that is given a caller, with a runtime in a workspace of its own."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("alpha\nbeta\n")

    def run(story, config=PYTHON, **options):
        async def main():
            async with Runtime(cwd=folder, config=config, approver=yes, **options) as rt:

                async def call(code, task=None, **more):
                    return json.loads(await rt.call("execute_code", {"code": code, **more}, task))

                call.runtime = rt
                return await asyncio.wait_for(story(call), 55)

        return asyncio.run(main())

    return run


CHILD = """
import asyncio
from concurrent.futures import ThreadPoolExecutor
from hermes_tools import ToolFailed, aio, gather, read_file
from hermes_tools.aio import read_file as later
async def main():
    return await asyncio.gather(*(later('a.txt') for _ in range(3)))
with ThreadPoolExecutor(3) as pool:
    found = [*pool.map(read_file, ['a.txt'] * 3), *asyncio.run(main())]
found += gather(aio.read_file('a.txt') for _ in range(3))
try:
    read_file('missing')
except ToolFailed as error:
    print([each['size'] for each in found], error.code, error.tool, flush=True)
"""


@pytest.mark.proves("script-processes")
@pytest.mark.parametrize(
    "start",
    [
        "subprocess.run([python, '-c', CHILD])",
        "subprocess.run([python, '-c', CHILD], env={'A': 'b'})",
        "subprocess.run(['bash', '-c', 'exec \"$0\" -c \"$1\"', python, CHILD])",
        "os.environ['CHILD'] = CHILD; os.system(python + ' -c \"$CHILD\"')",
        "asyncio.run(awaited())",
        "subprocess.run([python, '-c', 'import hermes_tools, subprocess, sys\\n'"
        "'subprocess.run([sys.argv[1], \"-c\", sys.argv[2]])', python, CHILD])",
    ],
    ids=["python", "its own variables", "bash", "system", "asyncio", "grandchild"],
)  # fmt: skip
def test_another_interpreter_calls_tools(drive, start):
    code = (
        f"import asyncio, os, subprocess, sys\npython = sys.executable\nCHILD = {CHILD!r}\n"
        "async def awaited():\n"
        "    began = await asyncio.create_subprocess_exec(python, '-c', CHILD)\n"
        "    await began.wait()\n"
        f"{start}\n"
    )
    answer = drive(lambda call: call(code))
    assert answer["stdout"] == f"{[11] * 9} not_found read_file\n", answer
    assert (answer["status"], answer["tool_calls_made"]) == ("success", 10)


MEETING = "touch up-{}; until [ $(ls | grep -c up-) -ge 6 ]; do sleep 0.05; done; echo {}"
"""A command that ends when six of it run at once."""


@pytest.mark.proves("script-processes")
@pytest.mark.parametrize("pool", ["Pool", "get_context('spawn').Pool"])
def test_processes_of_multiprocessing_call_tools_at_once(drive, pool):
    code = (
        "import multiprocessing\nfrom hermes_tools import terminal\n"
        f"def met(n):\n    return terminal({MEETING!r}.format(n, n))['stdout'].strip()\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.{pool}(6) as pool:\n"
        "        print(pool.map(met, '123456', chunksize=1))\n"
    )
    answer = drive(lambda call: call(code))
    assert answer["stdout"] == "['1', '2', '3', '4', '5', '6']\n", answer


@pytest.mark.proves("script-processes")
def test_a_forked_process_and_its_parent_call_tools_together(drive):
    code = (
        "import os\nfrom hermes_tools import aio, gather, read_file\n"
        "read_file('a.txt')\n"
        "child = os.fork()\n"
        "sizes = [each['size'] for each in gather(aio.read_file('a.txt') for _ in range(20))]\n"
        "print(sizes == [11] * 20, flush=True)\n"
        "if child:\n    print(os.waitpid(child, 0)[1], flush=True)\n"
        "else:\n    raise SystemExit(3)\n"
    )
    answer = drive(lambda call: call(code))
    assert answer["stdout"] == "True\nTrue\n768\n", answer
    assert (answer["status"], answer["tool_calls_made"]) == ("success", 41)
    assert "stderr" not in answer


def test_a_function_that_starts_python_is_no_fork_bomb(drive):
    code = (
        "import subprocess, sys\n\ndef measured():\n"
        '    child = \'import hermes_tools as h; print(h.read_file("a.txt")["size"])\'\n'
        "    words = [sys.executable, '-c', child]\n"
        "    return subprocess.run([sys.executable, *words[1:]], capture_output=True).stdout\n\n"
        "print(measured())\n"
    )
    assert drive(lambda call: call(code))["stdout"] == "b'11\\n'\n"
    again = "import os\ndef f():\n    os.fork()\n    f()\nf()\n"
    assert drive(lambda call: call(again))["code"] == "denied"


def test_calls_of_processes_count_for_the_script(drive):
    code = (
        "import subprocess, sys\npython = sys.executable\nsubprocess.run([python, '-c', "
        '\'import hermes_tools as h\\nfor n in range(9): print(n, h.read_file("a.txt")["size"],'
        " flush=True)'])\n"
    )
    answer = drive(lambda call: call(code), {"code": {"backend": "python", "max_calls": 3}})
    assert "more than 3 tool calls" in answer["reason"]
    assert answer["stdout"] == "0 11\n1 11\n2 11\n"


def test_a_process_with_another_token_stops_the_script(drive):
    code = (
        "import subprocess, sys\npython = sys.executable\nsubprocess.run([python, '-c', 'import "
        'hermes_tools as h; h._call.__closure__[0].cell_contents.token = "another"; '
        "h.read_file(\"a.txt\")'])\nprint('well')\n"
    )
    answer = drive(lambda call: call(code))
    assert "no call of this run" in answer["reason"]
    assert answer["stdout"] == ""


def test_a_process_without_the_door_is_told_so(drive):
    code = (
        "import os, subprocess, sys\npython = sys.executable\nsubprocess.run(['true'])\n"
        "print(subprocess.run(['bash', '-c', 'for f in /proc/self/fd/*; do n=${f##*/}; "
        '[ $n -gt 2 ] && eval "exec $n>&-"; done; exec "$0" -c "import hermes_tools"\', python], '
        "capture_output=True, text=True).stderr.splitlines()[-1])\n"
    )
    answer = drive(lambda call: call(code))
    assert "No module named 'hermes_tools'" in answer["stdout"], answer


LOOKING = """
import os, time
from hermes_tools import read_file
seen = []
def read(path):
    try:
        with open(path, 'rb') as file:
            seen.append(file.read(1 << 20).replace(b'\\0', b' ').decode('latin-1'))
    except OSError as error:
        pass
for number in filter(str.isdigit, os.listdir('/proc')):
    for name in ('environ', 'cmdline', 'maps', 'net/unix'):
        read(f'/proc/{number}/{name}')
    try:
        seen += [os.readlink(f'/proc/{number}/fd/{fd}') for fd in os.listdir(f'/proc/{number}/fd')]
    except OSError:
        pass
for folder, _, names in [*os.walk('/tmp'), *os.walk('/dev/shm'), *os.walk('/run')]:
    for name in names:
        seen.append(f'{folder}/{name}')
        read(f'{folder}/{name}')
print(chr(10).join(seen))
"""
WAITING = """
import os, subprocess, sys, time
import hermes_tools as h
subprocess.Popen(['sleep', '30'])
open('ready', 'w').write('yes')
while not os.path.exists('looked'): time.sleep(0.02)
print(h._call.__closure__[0].cell_contents.token)
"""


@pytest.mark.proves("script-confined")
def test_a_script_finds_neither_the_token_nor_a_socket_of_another_run(drive, tmp_path):
    async def story(call):
        waiting = asyncio.ensure_future(call(WAITING, task="a"))
        while not (tmp_path / "work" / "ready").exists():
            assert not waiting.done(), waiting.result()
            await asyncio.sleep(0.02)
        looked = [await call(LOOKING, task=task) for task in ("a", "b")]
        (tmp_path / "work" / "looked").write_text("")
        return (await waiting)["stdout"].strip(), looked

    token, looked = drive(story, {"code": {"backend": "python", "stdout_bytes": 10_000_000}})
    assert len(token) == 32
    for each in looked:
        assert each["status"] == "success", each
        assert token not in each["stdout"]


@pytest.mark.proves("script-confined")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import socket\nsocket.socket(socket.AF_UNIX).connect('/tmp/x')", "PermissionError"),
        ("import socket\nsocket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)", "PermissionError"),
        ("import socket\nsocket.socket(socket.AF_UNIX, socket.SOCK_STREAM).bind('\\0x')",
         "PermissionError"),
        ("import hermes.runtime.dispatch", "hermes itself cannot be imported"),
        ("import sys\nsys.meta_path.pop(0)\nimport hermes.runtime.dispatch", "No module named"),
    ],
)  # fmt: skip
def test_no_named_socket_and_no_part_of_hermes_is_within_reach(drive, code, said):
    answer = drive(lambda call: call(code))
    assert answer.get("code") == "denied" or said in answer["stderr"], answer


@pytest.mark.proves("script-confined")
def test_a_call_with_the_token_of_another_run_stops_the_script(drive):
    take = "h._call.__closure__[0].cell_contents"

    async def story(call):
        known = await call(f"import hermes_tools as h\nprint({take}.token)", task="a")
        code = f"import hermes_tools as h\n{take}.token = {known['stdout'].strip()!r}\n"
        return await call(f"{code}print(h.read_file('a.txt'))", task="b")

    answer = drive(story)
    assert (answer["status"], answer["stdout"]) == ("stopped", "")
    assert "no call of this run" in answer["reason"]
