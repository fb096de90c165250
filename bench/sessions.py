"""What keeping, opening and searching conversations costs."""

from __future__ import annotations

from statistics import median

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import level, seconds
from bench.processes import ask_fresh

_MUCH = 500
"""From so many calls on the real sizes are measured; with fewer it is only tried out."""


def measure(effort: Effort) -> dict[str, Measured]:
    """Search a million messages, open a session of ten thousand, and keep some."""
    rounds = min(effort.rounds, 7)
    asked = ask_fresh("sessions:search", rounds=rounds, messages=_scaled(effort, 1_000_000))
    opened = ask_fresh("sessions:resume", rounds=rounds, messages=_scaled(effort, 10_000))
    kept = ask_fresh("sessions:keep", rounds=rounds, messages=_scaled(effort, 200))
    kinds = {kind: median(times) for kind, times in asked["times"].items()}
    slowest = max(kinds, key=lambda kind: kinds[kind])
    told = ", ".join(f"{kind} {seconds(taken)}" for kind, taken in kinds.items())
    return {
        "session_search": level(asked["times"][slowest], scale=1e3, detail=told),
        "session_resume": level(opened["times"], scale=1e3),
        "session_keep": level(kept["times"], scale=1e3),
    }


def _scaled(effort: Effort, whole: int) -> int:
    return whole if effort.calls >= _MUCH else max(20, whole // 10_000)


FAMILIES = (
    Family(
        "sessions",
        (
            Figure("session_search", "a query over 1 M messages, the slowest kind", "ms", bar=50),
            Figure("session_resume", "opening a session of 10,000 messages", "ms", bar=200),
            Figure("session_keep", "keeping a message durably", "ms"),
        ),
        measure,
    ),
)
