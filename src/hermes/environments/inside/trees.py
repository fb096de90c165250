"""Find and signal what a process has started, by what the kernel lists."""

# Paths are strings here: they name files of the kernel.
# ruff: noqa: PTH115, PTH123, PTH208
from __future__ import annotations

import os
import signal
import time
from typing import Collection, Dict, List

_AFTER_NAME = b") "
_STATE, _PARENT, _BEGAN = 0, 1, 19
_TICKS = os.sysconf("SC_CLK_TCK")


def children(process: int) -> List[int]:
    """Return what a process has started and what still runs of it."""
    try:
        with open(f"/proc/{process}/task/{process}/children", "rb") as file:
            return [int(number) for number in file.read().split()]
    except FileNotFoundError:  # not every kernel has that list
        return _by_parent().get(process, [])
    except OSError:
        return []


def descendants(process: int, *, but: Collection[int] = ()) -> List[int]:
    """Return all that descends from a process, without some of its children and theirs."""
    families = _by_parent()
    found: List[int] = []
    left = [number for number in families.get(process, ()) if number not in but]
    while left:
        number = left.pop()
        found.append(number)
        left += families.get(number, ())
    return found


def now() -> int:
    """Return the time as the kernel notes it of a process that begins."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS)


def strays(process: int, since: int) -> List[int]:
    """Return what was begun since in the box that a process alone has, and has lost its parent."""
    box = _box(process)
    if not box or box == _box(os.getpid()):
        return []
    inside = [number for number in _processes() if _box(number) == box]
    first = next((number for number in inside if _is_first(number)), 0)
    older = [number for number in children(first) if int(_fact(number, _BEGAN)) < since]
    return descendants(first, but=older) if first else []


def hold(process: int, *, but: Collection[int] = (), since: int) -> List[int]:
    """Stop a process, what descends from it and its strays, so that none starts more."""
    held: List[int] = []
    new = [process]
    while new:
        send(new, signal.SIGSTOP)
        held += new
        known = {*held, *but}
        found = descendants(process, but=but) + strays(process, since)
        new = [number for number in found if number not in known]
    return held


def grown(family: List[int]) -> List[int]:
    """Return those of a family that have not ended, with what they started since."""
    known = dict.fromkeys(family)
    for process in family:
        known.update(dict.fromkeys(descendants(process)))
    return alive(list(known))


def alive(processes: Collection[int]) -> List[int]:
    """Return those that have not ended; what only waits to be buried has."""
    return [number for number in processes if _fact(number, _STATE) not in (b"0", b"Z", b"X")]


def send(processes: List[int], number: int) -> None:
    """Send a signal to processes; one that is gone has nothing to hear."""
    for process in processes:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):
            continue


def _by_parent() -> Dict[int, List[int]]:
    families: Dict[int, List[int]] = {}
    for number in _processes():
        families.setdefault(int(_fact(number, _PARENT)), []).append(number)
    return families


def _processes() -> List[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _box(process: int) -> str:
    """Return which numbers a process and others like it are known by, among themselves."""
    try:
        return os.readlink(f"/proc/{process}/ns/pid")
    except OSError:
        return ""


def _is_first(process: int) -> bool:
    """Say whether a process is the first of its box, to which all strays come."""
    try:
        with open(f"/proc/{process}/status", "rb") as file:
            return any(line.startswith(b"NSpid:") and line.endswith(b"\t1\n") for line in file)
    except OSError:
        return False


def _fact(process: int, which: int) -> bytes:
    """Return a word of what the kernel says of a process, from its state on; 0 of none."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(_AFTER_NAME)[2].split()[which]
    except (OSError, IndexError):
        return b"0"
