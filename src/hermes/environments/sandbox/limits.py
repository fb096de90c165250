"""Turn limits into what the kernel counts: per process, and for all of a box where it can."""

from __future__ import annotations

import os
import resource
from functools import cache

from hermes.environments.sandbox.box import Limits

_MINDING = 8
"""Processes of ours for a box, and for the next one that is made ready."""


def rlimits(limits: Limits) -> tuple[tuple[int, int], ...]:
    """Return the limits of each process.

    Memory counts what a process can write to and does not share: runtimes reserve far more
    addresses than they use.
    """
    wanted = (
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_DATA, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_CORE, 0),
    )
    return tuple((number, value) for number, value in wanted if value is not None)


def together(processes: int, boxes: int) -> int:
    """Return the limit of a group that several boxes share, with those that mind them."""
    return boxes * (processes + _MINDING) + _MINDING


@cache
def counting_folder(root: str = "/sys/fs/cgroup/pids") -> str | None:
    """Return where control groups that count processes can be made, if they are needed.

    Root needs one, because the kernel does not hold root to the limit of each user. Joining one
    takes the kernel ten milliseconds, so all commands with the same limit share one.
    """
    can_write = os.geteuid() == 0 and os.access(f"{root}/cgroup.procs", os.W_OK)
    return root if can_write else None
