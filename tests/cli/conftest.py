"""A shell's few variables, and the command as a person sees it on a terminal."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios

import pytest

SECONDS = 20


@pytest.fixture
def environ(tmp_path):
    """Return the variables of a plain shell, with a home of the test's own."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, "HERMES_HOME": str(tmp_path / "home"), "TERM": "xterm"}


@pytest.fixture
def on_terminal(environ):
    """Return a function that runs the command on a terminal: its exit code and what is seen."""

    def run(*words, columns=100, **variables):
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        process = subprocess.Popen(
            [sys.executable, "-m", "hermes", *words],
            env=environ | variables,
            # without words, whoever can type is taken into the chat
            stdin=follower if words else subprocess.DEVNULL,
            stdout=follower,
            stderr=follower,
        )
        os.close(follower)
        seen = _read(leader)
        os.close(leader)
        return process.wait(SECONDS), seen.decode().replace("\r\n", "\n")

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
