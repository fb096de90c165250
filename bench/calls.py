"""What one call costs: a typed no-op through the whole pipeline against the bare function."""

from __future__ import annotations

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import ratio
from bench.processes import ask_fresh


def sync(effort: Effort) -> dict[str, Measured]:
    """Compare calls from plain code."""
    times = gathered("calls:sync", effort)
    plain = times["plain"]
    return {
        "call_sync": ratio(times["call"], plain),
        "call_sync_judged": ratio(times["judged"], plain),
        "call_sync_written": ratio(times["written"], plain),
        "call_sync_text": ratio(times["text"], plain),
        "call_sync_sloppy": ratio(times["sloppy"], plain),
    }


def from_a_loop(effort: Effort) -> dict[str, Measured]:
    """Compare calls from a running loop."""
    times = gathered("calls:from_a_loop", effort)
    return {
        "call_async": ratio(times["call"], times["plain"]),
        "call_async_judged": ratio(times["judged"], times["plain"]),
    }


def gathered(function: str, effort: Effort) -> dict[str, list[float]]:
    """Return the rounds of several fresh processes together."""
    kept: dict[str, list[float]] = {}
    for _ in range(effort.children):
        answer = ask_fresh(function, rounds=effort.rounds, calls=effort.calls)
        for name, times in answer.items():
            kept.setdefault(name, []).extend(times)
    return kept


FAMILIES = (
    Family(
        "call_sync",
        (
            Figure("call_sync", "typed 3-argument no-op, sync from sync ÷ plain call", bar=150),
            Figure("call_sync_judged", "the same under a permission profile"),
            Figure("call_sync_written", "the same until its journal record is in the database"),
            Figure("call_sync_text", "the same with the arguments as JSON text"),
            Figure("call_sync_sloppy", "the same with two arguments to be coerced"),
        ),
        sync,
    ),
    Family(
        "call_async",
        (
            Figure("call_async", "async no-op from a running loop ÷ plain `await`", bar=60),
            Figure("call_async_judged", "the same under a permission profile"),
        ),
        from_a_loop,
    ),
)
