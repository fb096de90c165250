"""Run what the pages show: programs as they are, terminal sessions as a person would see them."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
COLUMNS = 100
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
SECONDS = 30


@pytest.fixture(scope="session")
def pages():
    """Return scripts/pages.py as a module."""
    spec = importlib.util.spec_from_file_location("pages", ROOT / "scripts" / "pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def environ(hermes_home):
    """Return what a person's shell has, with an empty HERMES_HOME and this virtual environment."""
    kept = {name: os.environ[name] for name in ("HOME", "PATH", "PYTHONPATH") if name in os.environ}
    kept["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    return kept | {
        "HERMES_HOME": str(hermes_home),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "TERM": "xterm",
    }


@pytest.fixture
def run_program(environ):
    """Return a function that runs a Python file and returns what it prints."""

    def run(path):
        done = subprocess.run(
            [sys.executable, "-W", "default", path],
            cwd=ROOT,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            text=True,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    return run


@pytest.fixture
def on_terminal(environ):
    """Return a function that runs a shell command on a terminal and returns what is seen."""

    def run(command):
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        process = subprocess.Popen(
            ["bash", "-c", command.replace("./hermes ", "hermes ")],
            cwd=ROOT,
            env=environ,
            stdin=follower,
            stdout=follower,
            stderr=follower,
        )
        os.close(follower)
        seen = _read(leader)
        os.close(leader)
        process.wait(timeout=SECONDS)
        lines = ESCAPES.sub("", seen.decode()).replace("\r\n", "\n").split("\n")
        return "\n".join(line.rstrip() for line in lines)

    return run


def _read(leader):
    seen = b""
    while select.select([leader], [], [], SECONDS)[0]:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not chunk:
            break
        seen += chunk
    return seen


@pytest.fixture(scope="session")
def assert_seen():
    """Return a function that compares output with what a page shows.

    On a page … stands for anything within a line, and alone on a line for any lines; how wide the
    columns of a table are does not matter.
    """

    def check(shown, seen):
        pattern = "".join(map(_pattern, shown.splitlines()))
        assert re.fullmatch(pattern, seen), f"expected:\n{shown}\nseen:\n{seen}"

    return check


def _pattern(line):
    if line == "…":
        return r"(?:.*\n)*?"
    escaped = re.escape(line).replace("…", ".*")
    return re.sub(r"(?:\\ ){2,}", " {2,}", escaped) + r"\n"
