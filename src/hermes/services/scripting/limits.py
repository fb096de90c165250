"""How much one run of a script may use."""

from __future__ import annotations

from typing import NamedTuple

MEGABYTE = 1 << 20


class Limits(NamedTuple):
    """What a run is given; whatever goes beyond ends it, but for what is only shown in part."""

    seconds: float = 300.0
    calls: int = 50
    stdout_bytes: int = 50_000
    """Shown of the output, its beginning and its end."""
    stderr_bytes: int = 10_000
    printed_bytes: int = 64 * MEGABYTE
    """Printed altogether before the script is stopped."""
    memory_bytes: int = 2_048 * MEGABYTE
    processes: int = 256
    disk_bytes: int = 1_024 * MEGABYTE
    """Of each file, and of what the disk may lose while the script runs."""

    def of_processes(self) -> dict[str, int]:
        """Return the limits that the kernel keeps for each process, by their names."""
        found = {
            "RLIMIT_DATA": self.memory_bytes,
            "RLIMIT_NPROC": self.processes,
            "RLIMIT_FSIZE": self.disk_bytes,
        }
        return {name: value for name, value in found.items() if value > 0}
