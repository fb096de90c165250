"""Definitions that are asked for again."""

from __future__ import annotations

from bench.figure import MICROSECONDS, Effort, Family, Figure, Measured
from bench.harness import level
from bench.processes import ask_fresh


def measure(effort: Effort) -> dict[str, Measured]:
    """Time `get_tool_definitions()` once everything is built."""
    times: list[float] = []
    for _ in range(effort.children):
        times += ask_fresh("definitions:warm", rounds=effort.rounds, calls=effort.calls)
    return {"definitions_warm": level(times, scale=1e6)}


FAMILIES = (
    Family(
        "definitions_warm",
        (Figure("definitions_warm", "all definitions, asked for again", MICROSECONDS, bar=5),),
        measure,
    ),
)
