"""Find and signal what a process has started, by what the kernel lists."""

# Paths are strings here: they name files of the kernel.
# ruff: noqa: PTH123, PTH208
from __future__ import annotations

import os
import signal
from typing import Collection, Dict, List

_AFTER_NAME = b") "
_PARENT = 1


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


def hold(process: int, *, but: Collection[int] = ()) -> List[int]:
    """Stop a process and all that descends from it, so that none starts more; return them."""
    held: List[int] = []
    new = [process]
    while new:
        send(new, signal.SIGSTOP)
        held += new
        known = {*held, *but}
        new = [number for number in descendants(process, but=but) if number not in known]
    return held


def grown(family: List[int]) -> List[int]:
    """Return those of a family that have not ended, with what they started since."""
    known = dict.fromkeys(family)
    for process in family:
        known.update(dict.fromkeys(descendants(process)))
    return alive(list(known))


def alive(processes: Collection[int]) -> List[int]:
    """Return those that have not ended; what only waits to be buried has."""
    return [number for number in processes if _state(number) not in (b"", b"Z", b"X")]


def send(processes: List[int], number: int) -> None:
    """Send a signal to processes; one that is gone has nothing to hear."""
    for process in processes:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):
            continue


def _by_parent() -> Dict[int, List[int]]:
    families: Dict[int, List[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            families.setdefault(_parent(name), []).append(int(name))
    return families


def _state(process: int) -> bytes:
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(_AFTER_NAME)[2][:1]
    except OSError:
        return b""


def _parent(process: str) -> int:
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return int(file.read().rpartition(_AFTER_NAME)[2].split()[_PARENT])
    except OSError:
        return 0
