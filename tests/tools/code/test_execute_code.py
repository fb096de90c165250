"""Scripts through their public door: what a model calls, what it reads, and what gets nowhere."""

import asyncio
import json
import os
import time

import pytest

from hermes import Runtime, tools
from hermes.runtime.declare import entry_of
from hermes.runtime.discovery import discover
from hermes.runtime.registry import ToolRegistry

PYTHON = {"code": {"backend": "python"}}


@pytest.fixture
def drive(hermes_home, tmp_path):
    """Run a coroutine that is given a caller, with a runtime in a workspace of its own."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("alpha\nbeta\n")

    def run(story, config=PYTHON, **options):
        async def main():
            async with Runtime(cwd=folder, config=config, **options) as rt:

                async def call(code, task=None, tool="execute_code", **more):
                    return json.loads(await rt.call(tool, {"code": code, **more}, task))

                call.runtime = rt
                return await asyncio.wait_for(story(call), 55)

        return asyncio.run(main())

    return run


def one(drive, code, config=PYTHON, **more):
    async def story(call):
        return await call(code, **more)

    return drive(story, config)


@pytest.mark.proves("script-tools")
def test_results_are_dicts_and_errors_are_exceptions(drive):
    answer = one(
        drive,
        "from hermes_tools import read_file, ToolFailed\n"
        "print(read_file('a.txt')['total_lines'])\n"
        "try:\n    read_file('missing')\n"
        "except ToolFailed as error:\n    print(error.code, bool(error.hint), error.tool)\n",
    )
    assert answer["stdout"] == "2\nnot_found True read_file\n"
    assert (answer["status"], answer["exit_code"], answer["tool_calls_made"]) == ("success", 0, 2)


def test_calls_are_made_by_threads_by_gather_and_by_asyncio(drive):
    answer = one(
        drive,
        "import asyncio\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "from hermes_tools import aio, gather, read_file\n"
        "with ThreadPoolExecutor(8) as pool:\n"
        "    print(len(list(pool.map(read_file, ['a.txt'] * 8))))\n"
        "print(len(gather(aio.read_file('a.txt') for _ in range(8))))\n"
        "async def main():\n"
        "    task = asyncio.create_task(aio.read_file('a.txt'))\n"
        "    many = await aio.gather(*(aio.read_file('a.txt') for _ in range(8)))\n"
        "    return len(many), await task\n"
        "print(asyncio.run(main())[0])\n"
        "print(type(gather(aio.read_file('b'), return_exceptions=True)[0]).__name__)\n",
    )
    assert answer["stdout"] == "8\n8\n8\nToolFailed\n", answer


@pytest.mark.proves("script-calls")
def test_its_calls_are_calls_of_the_task_in_the_journal_and_pass_hooks_and_gate(drive):
    async def story(call):
        seen = []
        call.runtime.hooks.add("pre_tool_call", lambda name, **_: seen.append(name))
        await call("from hermes_tools import terminal\nterminal('cd /usr; export A=7')", task="t")
        after = json.loads(await call.runtime.call("terminal", {"command": "pwd; echo $A"}, "t"))
        denied = await call(
            "from hermes_tools import terminal, ToolFailed\n"
            "try:\n    terminal('rm -rf /')\nexcept ToolFailed as e:\n    print(e.code)\n",
            task="t",
        )
        rows = call.runtime.journal.entries(task_id="t")
        return seen, after, denied, [(row.tool, row.door, row.verdict) for row in rows]

    seen, after, denied, rows = drive(story)
    assert seen[:2] == ["execute_code", "terminal"]
    assert after["stdout"] == "/usr\n7\n"
    assert denied["stdout"] == "denied\n"
    assert ("terminal", "execute_code", "allow") in rows
    assert ("terminal", "execute_code", "deny") in rows
    assert ("execute_code", "python", "allow") in rows


@pytest.mark.proves("script-scope")
def test_a_task_with_only_this_tool_gets_no_other(drive):
    async def story(call):
        listed = [each["function"] for each in call.runtime.definitions()]
        return listed, await call(
            "import hermes_tools\nprint([n for n in dir(hermes_tools) if n in "
            "('terminal', 'read_file', 'write_file', 'execute_code')])\n"
            "try:\n    hermes_tools._call('terminal', {'command': 'true'})\n"
            "except hermes_tools.ToolFailed as error:\n    print(error.code)\n"
        )

    listed, answer = drive(story, toolsets=["execute_code"])
    assert [each["name"] for each in listed] == ["execute_code"]
    assert "No tool may be called" in listed[0]["description"]
    assert answer["stdout"] == "[]\nnot_offered\n"


def test_the_description_lists_exactly_the_functions(drive):
    async def story(call):
        [found] = [
            each["function"]["description"]
            for each in call.runtime.definitions()
            if each["function"]["name"] == "execute_code"
        ]
        return found

    told = drive(story, {"code": {"tools": ["read_file", "patch", "nothing"]}})
    assert "- read_file(path: str, offset=1, limit=500" in told
    assert "- patch(" in told
    assert "terminal(" not in told


@pytest.mark.proves("script-limits")
@pytest.mark.parametrize(
    ("code", "more", "reason", "shown"),
    [
        ("print('first')\nwhile True: pass", {"timeout": 1}, "longer than 1 seconds", "first\n"),
        (
            "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "print('deaf')\ntime.sleep(60)",
            {"timeout": 1},
            "longer than 1 seconds",
            "deaf\n",
        ),
        (
            "from hermes_tools import read_file\n"
            "for n in range(9): print(n, read_file('a.txt')['size'])",
            {},
            "more than 3 tool calls",
            "0 11\n1 11\n2 11\n",
        ),
        ("while True: print('x' * 65536)", {}, "printed more than 1 MB", None),
        ("import os\nos.write(3, b'rubbish' * 9) if 0 else None\nimport hermes_tools as h\n"
         "h._call.__closure__[0].cell_contents.token = 'another'\nh.read_file('a.txt')",
         {}, "no call of this run", ""),
    ],
    ids=["time", "deaf", "calls", "flood", "token"],
)  # fmt: skip
def test_what_goes_too_far_is_stopped_and_told(drive, code, more, reason, shown):
    config = {"code": {"backend": "python", "max_calls": 3, "printed_megabytes": 1}}
    answer = one(drive, code, config, **more)
    assert answer["status"] in ("timeout", "stopped"), answer
    assert reason in answer["reason"]
    assert shown is None or answer["stdout"] == shown


def test_long_output_keeps_its_beginning_and_its_end(drive):
    answer = one(drive, "print('begin')\nprint('x' * 200_000)\nprint('end')")
    assert answer["status"] == "success"
    assert answer["stdout"].startswith("begin\nxxx")
    assert answer["stdout"].endswith("xxx\nend\n")
    assert 45_000 < len(answer["stdout"]) < 55_000
    assert answer["stdout_bytes_left_out"] > 140_000


def test_a_grandchild_does_not_hold_the_answer_and_does_not_outlive_it(drive, tmp_path):
    mark = tmp_path / "work" / "alive"
    code = (
        "import subprocess\n"
        "subprocess.Popen('while :; do date +%s%N > alive; sleep 0.02; done', shell=True,"
        " start_new_session=True)\n"
        "import os, time\nwhile not os.path.exists('alive'): time.sleep(0.01)\nprint('done')\n"
    )
    started = time.monotonic()

    async def story(call):
        answer = await call(code)
        took = time.monotonic() - started
        before = mark.read_text()
        await asyncio.sleep(0.3)
        return answer, took, before == mark.read_text()

    answer, took, is_dead = drive(story)
    assert (answer["stdout"], answer["status"]) == ("done\n", "success")
    assert took < 20
    assert is_dead


@pytest.mark.proves("script-confined")
def test_no_way_leads_around_the_gate(drive, tmp_path, hermes_home, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "s3cr3t-value")
    monkeypatch.setenv("TERMINAL_DOCKER_ENV", "s3cr3t-other")
    (hermes_home / "mine.txt").write_text("state")
    tries = {
        "hermes": "import hermes.app",
        "home": f"print(open({str(hermes_home / 'mine.txt')!r}).read())",
        "outside": f"open({str(tmp_path / 'outside')!r}, 'w').write('x')",
        "network": "import socket\nsocket.create_connection(('192.0.2.1', 80), 2)",
        "socket": "import socket\nsocket.socket(socket.AF_UNIX)",
        "variables": "import os\nprint(os.environ.get('MY' + '_API_KEY'))\nraise SystemExit(4)",
    }

    async def story(call):
        return {name: await call(code) for name, code in tries.items()}

    answers = drive(story)
    for name, answer in answers.items():
        assert answer.get("exit_code") or answer.get("code") == "denied", (name, answer)
        assert "s3cr3t" not in json.dumps(answer)
    assert "its tools are in hermes_tools" in answers["hermes"]["stderr"]
    assert not (tmp_path / "outside").exists()


def test_two_runs_do_not_share_a_token_or_a_process(drive):
    code = (
        "import hermes_tools as h, os\nprint(h._call.__closure__[0].cell_contents.token, "
        "[p for p in os.listdir('/proc') if p.isdigit()].__len__())"
    )

    async def story(call):
        return await asyncio.gather(
            call(code, task="a"), call(code, task="b"), call(code, task="a")
        )

    tokens = {answer["stdout"].split()[0] for answer in drive(story)}
    assert len(tokens) == 3


def test_a_fork_bomb_and_a_greedy_script_end(drive):
    config = {"code": {"backend": "python", "memory_megabytes": 200, "disk_megabytes": 150}}

    async def story(call):
        forks = "import os\nwhile True:\n    if os.fork() == 0:\n        while True: os.fork()\n"
        bomb = await call(forks, timeout=5)
        greedy = await call("x = []\nwhile True: x.append(bytearray(10_000_000))", timeout=20)
        full = await call("with open('big', 'wb') as f:\n    while True: f.write(b'x' * 1_000_000)")
        after = await call("print('well')")
        return bomb, greedy, full, after

    bomb, greedy, full, after = drive(story, config)
    assert bomb.get("status", bomb.get("code")) in ("error", "timeout", "stopped", "denied"), bomb
    assert "200 MB of memory" in greedy.get("note", ""), greedy
    assert "files of 150 MB" in full.get("note", ""), full
    assert after["stdout"] == "well\n"


def test_a_script_may_await_at_its_top(drive):
    answer = one(
        drive, "from hermes_tools import aio\nprint((await aio.read_file('a.txt'))['size'])"
    )
    assert answer["stdout"] == "11\n", answer


@pytest.fixture
def own():
    """Return all tools and two more."""
    registry = ToolRegistry()
    for entry in discover(tools, "").entries:
        registry.add(entry)

    def shout(text: str, times: int = 2) -> dict:
        """Say it loudly."""
        return {"said": text.upper() * times}

    registry.add(entry_of(shout, name="mcp-loud.shout", effects="read", toolset="loud"))
    return registry


def test_cut_results_are_still_values(drive, own):
    async def story(call):
        return await call(
            "from hermes_tools import mcp_loud_shout as s\n"
            "r = s('x', 9000)\nprint(type(r).__name__, r['said'][:2], len(r['said']) < 5000)"
        )

    config = {"code": {"tools": ["loud"], "backend": "python"}}
    answer = drive(story, {**config, "results": {"per_result_chars": 1_000}}, registry=own)
    assert answer["stdout"] == "dict XX True\n", answer


def test_tools_of_ones_own_with_odd_names_can_be_called(drive, own):
    code = "from hermes_tools import mcp_loud_shout as s\nprint(s('a')['said'], s('b', 1))"

    async def story(call):
        return await call(code)

    answer = drive(story, {"code": {"tools": ["loud"], "backend": "python"}}, registry=own)
    assert answer["stdout"] == "AA {'said': 'B'}\n"


def test_a_cancelled_script_ends(drive, tmp_path):
    mark = tmp_path / "work" / "alive"

    async def story(call):
        running = asyncio.ensure_future(
            call(
                "import time\nwhile True:\n    open('alive','w').write(str(time.time()))\n"
                "    time.sleep(0.02)"
            )
        )
        while not mark.exists():
            await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.wait({running})
        before = mark.read_text()
        await asyncio.sleep(0.2)
        return before == mark.read_text()

    assert drive(story)


def test_nothing_is_left_after_the_runtime(drive, tmp_path):
    def processes():
        found = set()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                is_here = os.readlink(f"/proc/{pid}/cwd").startswith(str(tmp_path))
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if is_here and b"hermes_tools" in file.read():
                        found.add(pid)
            except OSError:
                pass
        return found

    async def story(call):
        await call("print(1)")
        while not processes():  # one waits for the next script
            await asyncio.sleep(0.01)
        return await call("print(2)")

    assert drive(story)["stdout"] == "2\n"
    assert processes() == set()


pydantic_monty = pytest.importorskip("pydantic_monty", reason="needs the extra code")


@pytest.mark.parametrize(
    ("code", "backend", "stdout"),
    [
        ("print(1)", "monty", "1\n"),
        ("from hermes_tools import read_file\nfor n in range(2): print(read_file('a.txt')['size'])",
         "monty", "11\n11\n"),
        ("import hermes_tools as h\nprint(sorted(h.read_file(path='a.txt')))", "monty",
         "['content', 'size', 'total_lines', 'truncated']\n"),
        ("import os\nprint(os.sep)", "python", "/\n"),
        ("try:\n    print(1)\nfinally:\n    pass", "python", "1\n"),
        ("print((1).__class__)", "python", "<class 'int'>\n"),
        ("from hermes_tools import gather\nprint(gather())", "python", "[]\n"),
        ("print('é' + '…'.upper())", "monty", "é…\n"),
    ],
)  # fmt: skip
def test_scripts_that_only_put_calls_together_need_no_python(drive, code, backend, stdout):
    answer = one(drive, code, {})
    assert (answer["backend"], answer["stdout"]) == (backend, stdout), answer


@pytest.mark.parametrize(
    ("code", "more", "said"),
    [
        ("from hermes_tools import read_file\nread_file('a.txt')\nwhile True: pass", {"timeout": 1},
         "longer than 1 seconds"),
        ("from hermes_tools import terminal\nterminal('sleep 9')", {"timeout": 1},
         "longer than 1 seconds"),
        ("from hermes_tools import read_file\nfor n in range(99): read_file('a.txt')", {},
         "more than 50 tool calls"),
        ("while True: print('x' * 100000)", {}, "more than 64 MB"),
    ],
)  # fmt: skip
def test_there_the_same_limits_hold(drive, code, more, said):
    answer = one(drive, code, {}, **more)
    assert (answer["backend"], said in answer.get("reason", "")) == ("monty", True), answer
