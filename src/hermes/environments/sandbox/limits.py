"""Turn limits into what the kernel counts: per process, and for all of a box where it can."""

from __future__ import annotations

import contextlib
import os
import resource
from pathlib import Path
from tempfile import mkdtemp

from hermes.environments.sandbox.box import Limits

_ROOT = Path("/sys/fs/cgroup")


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


class Group:
    """A control group that counts the processes of one box."""

    def __init__(self, folder: str, most: int) -> None:
        self._folder = Path(folder)
        (self._folder / "pids.max").write_text(str(most), encoding="ascii")
        self.file = os.open(self._folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
        """A descriptor; whoever writes to it joins."""

    def remove(self) -> None:
        """Remove the group once its processes have ended."""
        os.close(self.file)
        with contextlib.suppress(OSError):  # a dying process still counts; an empty one is cheap
            self._folder.rmdir()


class Groups:
    """Make control groups where they are needed and can be made.

    Root needs them, because the kernel does not count root's processes.
    """

    def __init__(self, root: Path = _ROOT) -> None:
        self._pids = root / "pids"
        self._can_count = os.geteuid() == 0 and os.access(self._pids / "cgroup.procs", os.W_OK)

    def make(self, limits: Limits) -> Group | None:
        """Make a group that holds so many processes."""
        if not self._can_count or limits.processes is None:
            return None
        try:
            return Group(mkdtemp(prefix="hermes-", dir=self._pids), limits.processes)
        except OSError:
            return None
