"""What a container may use of its machine, read from control groups of both versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_ROOT = Path("/")


@dataclass(frozen=True, slots=True)
class Limits:
    """The tightest limits in force; None where there is none."""

    memory_bytes: int | None = None
    memory_used_bytes: int | None = None
    cpus: float | None = None


def read(root: Path = _ROOT) -> Limits:
    """Return the limits that hold for this process on the machine whose files lie under a root."""
    groups = _groups(root)
    bases = root / "sys/fs/cgroup"
    memory: list[tuple[int, int | None]] = []
    cpus: list[float] = []
    if "" in groups:
        for folder in _upwards(bases, groups[""]):
            memory += _memory(folder, "memory.max", "memory.current")
            cpus += _cpus_v2(folder)
    for folder in _upwards(bases / "memory", groups.get("memory", "/")):
        memory += _memory(folder, "memory.limit_in_bytes", "memory.usage_in_bytes")
    for folder in _upwards(bases / "cpu", groups.get("cpu", "/")):
        cpus += _cpus_v1(folder)
    most, used = min(memory, key=lambda pair: pair[0], default=(None, None))
    return Limits(most, used, min(cpus, default=None))


def _groups(root: Path) -> dict[str, str]:
    """Return this process's group by controller; the one hierarchy of version 2 has no name."""
    groups = {}
    for line in (_text(root / "proc/self/cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        for controller in controllers.split(","):
            groups[controller] = path
    return groups


def _upwards(base: Path, group: str) -> Iterator[Path]:
    """Walk from a group to the top; inside a container the upper part may not be mounted."""
    parts = [part for part in PurePosixPath(group).parts if part not in ("/", "..")]
    for length in range(len(parts), -1, -1):
        yield base.joinpath(*parts[:length])


def _memory(folder: Path, limit: str, used: str) -> list[tuple[int, int | None]]:
    most = _number(folder / limit)
    # Version 1 writes "no limit" as a number near 2**63.
    return [] if most is None or most >= 1 << 60 else [(most, _number(folder / used))]


def _cpus_v2(folder: Path) -> list[float]:
    quota, _, period = (_text(folder / "cpu.max") or "").partition(" ")
    return _share(quota, period)


def _cpus_v1(folder: Path) -> list[float]:
    quota = _text(folder / "cpu.cfs_quota_us") or ""
    return _share(quota, _text(folder / "cpu.cfs_period_us") or "")


def _share(quota: str, period: str) -> list[float]:
    if not (quota.isdecimal() and period.isdecimal()) or int(period) == 0:
        return []
    return [round(int(quota) / int(period), 2)]


def _number(path: Path) -> int | None:
    text = _text(path) or ""
    return int(text) if text.isdecimal() else None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError):
        return None
