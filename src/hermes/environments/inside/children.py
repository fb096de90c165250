"""Start programs and notice their ends, and those of all that they leave behind."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import subprocess
import time
from typing import Dict, List, Optional, Tuple

from hermes.environments.inside import trees

_SET_CHILD_SUBREAPER = 36
_LAST_SECONDS = 3.0


class Child:
    """A program that was started, the leader of a session of its own."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self.pid = popen.pid
        self._popen = popen
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def finish(self, code: int) -> None:
        """Take the exit code, negative for a signal."""
        self._popen.returncode = code
        if not self.ended.done():
            self.ended.set_result(code)

    async def wait(self) -> int:
        """Wait for its exit code."""
        return await asyncio.shield(self.ended)

    def send(self, number: int) -> None:
        """Send a signal to it and all that it started and that is still known as its own."""
        known = [] if self.ended.done() else trees.descendants(self.pid)
        others = [process for process in known if _group(process) != self.pid]
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)  # at once: a shell would tell of a child that died first
        trees.send(others, number)

    def kill(self) -> None:
        """End it with all that it started."""
        self.send(signal.SIGKILL)


class Children:
    """All programs of an agent. What they leave behind comes to the agent, and ends with it."""

    def __init__(self) -> None:
        self._known: Dict[int, Child] = {}
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        asyncio.get_running_loop().add_signal_handler(signal.SIGCHLD, self._reap)

    def start(self, argv: List[str], given: Tuple[int, int, int], cwd: str) -> Child:
        """Start a program on three descriptors, which stay the caller's.

        Raises:
            OSError: it cannot be started.
        """
        stdin, output, errors = given
        popen = subprocess.Popen(
            argv, stdin=stdin, stdout=output, stderr=errors, cwd=cwd, start_new_session=True
        )
        child = self._known[popen.pid] = Child(popen)
        return child

    def _reap(self) -> None:
        while True:
            ended = _ended()
            if ended is None:
                return
            child = self._known.pop(ended[0], None)
            if child is not None:
                child.finish(ended[1])

    def end(self) -> None:
        """Kill all of them, until nobody is left or a little time has passed."""
        until = time.monotonic() + _LAST_SECONDS
        while time.monotonic() < until:
            left = trees.descendants(os.getpid())
            if not left:
                return
            trees.send(left, signal.SIGKILL)
            self._reap()
            time.sleep(0.002)


def _group(process: int) -> int:
    try:
        return os.getpgid(process)
    except ProcessLookupError:
        return 0


def _ended() -> Optional[Tuple[int, int]]:
    try:
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    if pid == 0:
        return None
    code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return pid, code
