"""Time things side by side, so that a busy moment hits all of them alike."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from statistics import median

from bench.figure import MICROSECONDS, Measured

Clock = Callable[[], float]
Work = Callable[[], object]
AsyncWork = Callable[[], Awaitable[object]]


def nothing() -> None:
    """Do nothing between two timed works."""


def interleave(
    rounds: int, works: Sequence[Work], *, between: Work = nothing, clock: Clock = time.perf_counter
) -> list[list[float]]:
    """Run every work once a round, in turn, and return the seconds of each work's rounds."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, kept in zip(works, times, strict=True):
            between()
            started = clock()
            work()
            kept.append(clock() - started)
    return times


async def interleave_async(
    rounds: int,
    works: Sequence[AsyncWork],
    *,
    between: Work = nothing,
    clock: Clock = time.perf_counter,
) -> list[list[float]]:
    """Do the same with coroutines on the running loop."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, kept in zip(works, times, strict=True):
            between()
            started = clock()
            await work()
            kept.append(clock() - started)
    return times


def ratio(subject: Sequence[float], baseline: Sequence[float]) -> Measured:
    """Compare neighbours: the median of the rounds' ratios, and best against best."""
    each = [mine / theirs for mine, theirs in zip(subject, baseline, strict=True)]
    detail = f"{seconds(median(subject))} against {seconds(median(baseline))}"
    return Measured(median(each), min(subject) / min(baseline), detail)


def level(samples: Sequence[float], *, scale: float = 1.0, detail: str = "") -> Measured:
    """Return the median and the least of samples, times a scale."""
    return Measured(median(samples) * scale, min(samples) * scale, detail)


def seconds(value: float) -> str:
    """Write a duration in the unit that a person would choose."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), (MICROSECONDS, 1e-6)):
        if value >= size:
            return f"{digits(value / size)} {unit}"
    return f"{digits(value * 1e9)} ns"


def digits(value: float) -> str:
    """Write a number with three figures that count."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    if abs(value) >= 1:
        return f"{value:.2f}"
    return f"{value:.3f}"
