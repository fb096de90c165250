"""Kill everything that descends from this process."""

# Paths are strings here: they are compared, and handed to the kernel.
# ruff: noqa: PTH208
from __future__ import annotations

import os
import signal


def kill_descendants(child: int) -> int:
    """Kill all descendants, wait until none is left, and return the wait status of the child.

    This process must be a subreaper: then no descendant can leave the tree.
    """
    status, left = _reaped(child, 0, os.WNOHANG)
    while left:
        for process in _stopped():
            _send(process, signal.SIGKILL)
        status, left = _reaped(child, status, 0)
    return status


def _stopped() -> set[int]:
    """Stop every descendant, so that none can fork while the next are looked for."""
    stopped: set[int] = set()
    while fresh := _descendants(os.getpid()) - stopped:
        for process in fresh:
            _send(process, signal.SIGSTOP)
        stopped |= fresh
    return stopped


def _descendants(process: int) -> set[int]:
    found: set[int] = set()
    left = [process]
    while left:
        children = _children(left.pop())
        left += [child for child in children if child not in found]
        found.update(children)
    return found


def _children(process: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{process}/task"):
            fd = os.open(f"/proc/{process}/task/{task}/children", os.O_RDONLY)
            while part := os.read(fd, 1 << 20):
                found += map(int, part.split())
            os.close(fd)
    except (FileNotFoundError, ProcessLookupError):
        return found  # it ended meanwhile
    return found


def _send(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except (ProcessLookupError, PermissionError):
        return


def _reaped(child: int, status: int, how: int) -> tuple[int, bool]:
    """Reap what has ended; return the child's status, and whether something is left."""
    while True:
        try:
            process, ending = os.waitpid(-1, how)
        except ChildProcessError:
            return status, False
        if process == 0:
            return status, True
        if process == child:
            status = ending
