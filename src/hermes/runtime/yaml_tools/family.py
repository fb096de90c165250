"""Find and end everything that a program started, also what left its process group.

On Linux a process belongs to the family when it is in the program's session, descends from a
member, or carries the family's mark in its environment. Elsewhere the process group is all that
can be found. What is reparented after it cleared its environment and left the session gets away.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
from collections.abc import Iterator
from typing import NamedTuple

MARK = "HERMES_CALL"
_MAX_ROUNDS = 20
_ENDED = frozenset("ZX")


class _Process(NamedTuple):
    """One line of the process table; ``started`` tells it from a later one with the same id."""

    pid: int
    parent: int
    session: int
    started: int


def new_mark() -> str:
    """Return a value for the variable ``HERMES_CALL`` that no other program is started with."""
    return secrets.token_hex(12)


class Family:
    """A program that leads a session of its own, and all that came from it."""

    def __init__(self, leader: int, mark: str) -> None:
        self._leader = leader
        self._mark = f"{MARK}={mark}".encode()
        first = _process(leader)
        self._since = first.started if first else 0
        self._met: dict[int, int] = {leader: first.started} if first else {}

    def send(self, number: signal.Signals) -> None:
        """Send a signal to every member; all are found first, as an orphan is harder to trace."""
        members = self._members()
        self.send_to_group(number)
        _send(members, number)

    def send_to_group(self, number: signal.Signals) -> None:
        """Send a signal to the members that stayed in the process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._leader, number)

    def kill(self) -> None:
        """End every member, and those that were being started meanwhile."""
        killed: set[_Process] = set()
        for _ in range(_MAX_ROUNDS):
            left = {process for process in self._members() if process not in killed}
            self.send_to_group(signal.SIGKILL)
            if not left:
                return
            _send(left, signal.SIGKILL)
            killed |= left

    def _members(self) -> set[_Process]:
        table = [process for process in _processes() if process.started >= self._since]
        members = {process for process in table if self._is_known(process)}
        while True:  # a child may be listed before its parent
            pids = {process.pid for process in members}
            children = {process for process in table if process.parent in pids} - members
            if not children:
                break
            members |= children
        self._met.update({process.pid: process.started for process in members})
        return members

    def _is_known(self, process: _Process) -> bool:
        return (
            process.session == self._leader
            or self._met.get(process.pid) == process.started
            or self._mark in _contents(f"/proc/{process.pid}/environ").split(b"\0")
        )


def _send(members: set[_Process], number: signal.Signals) -> None:
    for process in members:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, number)


def _processes() -> Iterator[_Process]:
    """Yield the processes that have not ended; none where there is no process table to read."""
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - thousands of names, no paths wanted
    except OSError:
        return
    for name in names:
        if name.isdigit() and (process := _process(int(name))):
            yield process


def _process(pid: int) -> _Process | None:
    # The second field is the program's name in parentheses and may itself hold any character.
    fields = _contents(f"/proc/{pid}/stat").rpartition(b") ")[2].split()
    if len(fields) < 20 or fields[0].decode() in _ENDED:
        return None
    return _Process(pid, int(fields[1]), int(fields[3]), int(fields[19]))


def _contents(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 - read for every process
            return stream.read()
    except OSError:  # it ended meanwhile, or belongs to somebody else
        return b""
