"""Many calls that wait at the same time."""

from __future__ import annotations

from statistics import median

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import level, seconds
from bench.processes import ask_fresh


def on_the_loop(effort: Effort) -> dict[str, Measured]:
    """Time async handlers."""
    return _measure("on_the_loop", "concurrent_async", effort)


def in_threads(effort: Effort) -> dict[str, Measured]:
    """Time sync handlers."""
    return _measure("in_threads", "concurrent_sync", effort)


def _measure(function: str, name: str, effort: Effort) -> dict[str, Measured]:
    times: dict[str, list[float]] = {"bare": [], "call": [], "call_many": []}
    for _ in range(effort.children):
        answer = ask_fresh(
            f"concurrency:{function}", rounds=(effort.rounds + 1) // 2, naps=effort.naps
        )
        for way, kept in answer.items():
            times[way] += kept
    detail = f"bare functions: {seconds(median(times['bare']))}"
    return {
        name: level(times["call"], scale=1e3, detail=detail),
        f"{name}_many": level(times["call_many"], scale=1e3, detail=detail),
    }


FAMILIES = (
    Family(
        "concurrent_async",
        (
            Figure("concurrent_async", "1,000 calls at once that sleep 10 ms", "ms", bar=30),
            Figure("concurrent_async_many", "the same as one message's calls", "ms"),
        ),
        on_the_loop,
    ),
    Family(
        "concurrent_sync",
        (
            Figure("concurrent_sync", "1,000 calls at once that block 10 ms", "ms", bar=350),
            Figure("concurrent_sync_many", "the same as one message's calls", "ms", bar=350),
        ),
        in_threads,
    ),
)
