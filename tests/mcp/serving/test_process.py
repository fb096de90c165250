"""The whole program: what it loads, what it prints where, and how it ends."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

SERVER = """
import sys, json
from hermes.tools import tool, ToolContext

@tool(toolset="trial", effects="none")
def loud() -> str:
    "Print something."
    print("noise on standard output")
    return "quiet"

@tool(toolset="trial", effects="none")
def loaded() -> list[str]:
    "Say which modules are loaded."
    return sorted(name for name in ("mcp", "mcp_types", "pydantic", "anyio") if name in sys.modules)

@tool(toolset="trial", effects="none")
def hungry() -> str:
    "Read standard input."
    return repr(sys.stdin.read())

from hermes.app import serving
serving.serve_stdio(serving.make(toolsets=sys.argv[1:], profile={"allow": ["*"]}))
"""
INFO = {"name": "test", "version": "1"}
GREETING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO}


class Program:
    def __init__(self, process):
        self.process = process
        self._id = 0

    def send(self, **message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def begin(self, method, **params):
        self._id += 1
        self.send(id=self._id, method=method, params=params)

    def ask(self, method, **params):
        self.begin(method, **params)
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self._id:
                return message["result"]

    def greet(self):
        found = self.ask("initialize", **GREETING)
        self.send(method="notifications/initialized")
        return found

    def call(self, name, **arguments):
        return self.ask("tools/call", name=name, arguments=arguments)


@pytest.fixture
def program(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    started = []

    def start(*toolsets, cwd=tmp_path):
        process = subprocess.Popen(
            [sys.executable, "-P", script, *(toolsets or ("trial",))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
        )
        started.append(process)
        return Program(process)

    yield start
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                stream.close()


@pytest.mark.proves("mcp-serve-light")
def test_neither_the_sdk_nor_pydantic_is_loaded(program):
    served = program()
    served.greet()
    served.ask("tools/list")
    served.ask("resources/list")
    assert served.call("loaded")["structuredContent"] == {"result": []}


def test_what_tools_print_goes_to_standard_error(program):
    served = program()
    served.greet()
    assert served.call("loud")["content"][0]["text"] == "quiet"
    assert served.call("hungry")["content"][0]["text"] == "''"
    served.process.stdin.close()
    assert served.process.wait(10) == 0
    assert b"noise on standard output" in served.process.stderr.read()


@pytest.mark.proves("mcp-serve-leaves")
def test_a_client_that_leaves_ends_the_server_and_all_that_it_started(program, tmp_path):
    served = program("terminal")
    served.greet()
    marker = f"{os.getpid()}.{time.time_ns() % 1_000_000}"
    served.begin("tools/call", name="terminal", arguments={"command": f"sleep 6{marker}"})
    sleeping = _until(lambda: _running(f"6{marker}"))
    family = [served.process.pid, *sleeping, *_children(served.process.pid)]
    served.process.stdin.close()
    assert served.process.wait(20) == 0
    _until(lambda: not any(psutil.pid_exists(pid) and _alive(pid) for pid in family))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_cleanly(program, number):
    served = program()
    served.greet()
    served.call("loud")
    served.process.send_signal(number)
    assert served.process.wait(10) in (0, 1, 130, -signal.SIGINT)
    assert b"Traceback" not in served.process.stderr.read() or number == signal.SIGINT


def test_requests_from_a_file_are_answered(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    lines = [
        {"id": 1, "method": "initialize", "params": GREETING},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "loud"}},
    ]
    text = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
    file = tmp_path / "requests"
    file.write_text(text)
    with file.open() as given:
        done = subprocess.run(
            [sys.executable, "-P", script, "trial"], stdin=given, capture_output=True, timeout=30
        )
    found = {json.loads(line)["id"] for line in done.stdout.splitlines()}
    assert (done.returncode, found) == (0, {1, 2, 3})


def test_a_server_that_is_started_at_the_root_works_in_a_folder_of_its_own(program, hermes_home):
    served = program(cwd="/")
    assert str(hermes_home / "workspace") in served.greet()["instructions"]


def _until(look, seconds=15):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.02)
    raise AssertionError("it took too long")


def _running(word):
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if words[:1] == [b"sleep"] and word.encode() in words:
                    found.append(int(entry.name))
    return found


def _children(pid):
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


def _alive(pid):
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False
