"""What the processor is busy with, measured over a tenth of a second without blocking."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

import psutil

from hermes.services.machine.units import size

INTERVAL = 0.1
TOP = 10


async def cpu_percent() -> float:
    """Return how busy all cores together are, 0 to 100."""
    before = psutil.cpu_times()
    await asyncio.sleep(INTERVAL)
    return busy_share(before._asdict(), psutil.cpu_times()._asdict())


def busy_share(before: dict[str, float], after: dict[str, float]) -> float:
    """Return the busy percent between two readings of the processor's clocks."""
    spent = {name: max(0.0, after[name] - before[name]) for name in after}
    # Linux counts the time of guests a second time under user and nice.
    total = sum(spent.values()) - spent.get("guest", 0.0) - spent.get("guest_nice", 0.0)
    idle = spent["idle"] + spent.get("iowait", 0.0)
    return round(100 * (total - idle) / total, 1) if total > 0 else 0.0


@dataclass(frozen=True, slots=True)
class _Reading:
    process: psutil.Process
    cpu_seconds: float
    at: float


@dataclass(frozen=True, slots=True)
class _Usage:
    pid: int
    name: str
    user: str
    percent: float
    cpu_seconds: float
    rss: int

    def shown(self) -> dict[str, Any]:
        """Return the process as a model reads it; never its arguments, which may hold secrets."""
        return {
            "pid": self.pid,
            "name": self.name,
            "user": self.user,
            "cpu_percent": self.percent,
            "rss": size(self.rss),
        }


async def busiest() -> dict[str, Any]:
    """Return how many processes there are and the ten that use most processor and most memory."""
    readings = await asyncio.to_thread(_first)
    await asyncio.sleep(INTERVAL)
    processes = await asyncio.to_thread(_second, readings)
    # Idle threads of the kernel have no memory and say nothing.
    telling = [one for one in processes if one.rss or one.percent]
    by_cpu = sorted(telling, key=lambda one: (one.percent, one.cpu_seconds), reverse=True)
    by_memory = sorted(telling, key=lambda one: one.rss, reverse=True)
    return {
        "count": len(processes),
        "by_cpu": [one.shown() for one in by_cpu[:TOP]],
        "by_memory": [one.shown() for one in by_memory[:TOP]],
    }


def _first() -> list[_Reading]:
    readings = []
    for process in psutil.process_iter():
        try:
            times = process.cpu_times()
        except psutil.Error:  # gone already, or not ours to look at
            continue
        readings.append(_Reading(process, times.user + times.system, time.monotonic()))
    return readings


def _second(readings: list[_Reading]) -> list[_Usage]:
    usages = []
    for reading in readings:
        try:
            usages.append(_usage(reading))
        except psutil.Error:  # ended between the two looks
            continue
    return usages


def _usage(before: _Reading) -> _Usage:
    process = before.process
    with process.oneshot():
        times = process.cpu_times()
        elapsed = max(time.monotonic() - before.at, 1e-3)
        seconds = times.user + times.system
        percent = round(100 * max(0.0, seconds - before.cpu_seconds) / elapsed, 1)
        return _Usage(
            process.pid,
            process.name(),
            _owner(process),
            percent,
            seconds,
            process.memory_info().rss,
        )


def _owner(process: psutil.Process) -> str:
    try:
        return process.username()
    except (psutil.AccessDenied, KeyError):
        return "?"
