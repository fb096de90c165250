"""Kill a hermes that runs commands elsewhere, and see what becomes of them."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
SECONDS = 30


@contextlib.contextmanager
def running(config, folder, program="killed_child.py", there=lambda: None):
    """Give a hermes that has a command in the foreground and one in the background.

    ``there`` gives the folder that they run in, if that is another one, as soon as there is one.
    """
    words = [sys.executable, str(HERE / program), json.dumps(config), str(folder)]
    child = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + SECONDS
        while not are_held(there() or folder):
            assert child.poll() is None, child.stderr.read()
            assert time.monotonic() < until, "the commands do not run"
            time.sleep(0.05)
        yield child
    finally:
        child.kill()
        child.wait(10)
        child.stderr.close()


def kill(child):
    """Kill hermes so that it can do nothing more."""
    os.kill(child.pid, signal.SIGKILL)
    child.wait(10)


def are_held(folder):
    return all(is_held(folder / name) for name in ("foreground", "background"))


def is_held(lock):
    return lock.exists() and subprocess.run(["flock", "-n", lock, "true"]).returncode != 0


def all_ended(folder):
    """Say whether nothing runs any more, waiting a little for it."""
    locks = [folder / "foreground", folder / "background"]
    return all(
        subprocess.run(["flock", "-w", "10", lock, "true"]).returncode == 0 for lock in locks
    )
