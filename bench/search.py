"""Whether search finds the right tool, and how fast."""

from __future__ import annotations

from bench.figure import MICROSECONDS, Effort, Family, Figure, Measured
from bench.harness import level, seconds
from bench.processes import ask_fresh


def measure(effort: Effort) -> dict[str, Measured]:
    """Ask the queries of the tests."""
    answer = ask_fresh("search:measure", rounds=effort.rounds)
    rate = 100 * answer["found"] / answer["queries"]
    found = f"{answer['found']} of {answer['queries']} queries over {answer['tools']} tools"
    index = f"the index is built in {seconds(answer['building'])}"
    return {
        "search_found": Measured(rate, rate, found),
        "search": level(answer["times"], scale=1e6, detail=index),
    }


FAMILIES = (
    Family(
        "search",
        (
            Figure("search_found", "the right tool is among five", "%", bar=95, at_least=True),
            Figure("search", "one query", MICROSECONDS),
        ),
        measure,
    ),
)
