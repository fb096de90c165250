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
    statuses, is_left = _reaped()
    while is_left:
        killed = _stopped()
        for process in killed:
            _send(process, signal.SIGKILL)
        statuses |= _first_ended(killed)
        # Look again instead of waiting for all: the kernel's list of children may leave one out
        # while others come and go, and nobody would ever kill that one.
        more, is_left = _reaped()
        statuses |= more
    return statuses.get(child, 0)


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


def _first_ended(killed: set[int]) -> dict[int, int]:
    """Wait for the first of our children to end, if one of them was killed; return its status.

    Whichever it is: the first process of a namespace ends only after all others were reaped.
    """
    for process in killed:
        try:
            os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            continue
        return dict([os.waitpid(-1, 0)])
    return {}


def _reaped() -> tuple[dict[int, int], bool]:
    """Reap what has ended; return the statuses, and whether something is left."""
    statuses: dict[int, int] = {}
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return statuses, False
        if process == 0:
            return statuses, True
        statuses[process] = status
