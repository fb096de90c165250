"""What a cell of a session costs through the whole pipeline, and whether a session grows."""

from __future__ import annotations

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import level
from bench.processes import ask_fresh


def measure(effort: Effort) -> dict[str, Measured]:
    """Run cells in a warm session, and start new ones."""
    answer = ask_fresh("repl:measure", rounds=effort.rounds, cells=min(10_000, effort.calls))
    grown = max(4, answer["grown"]) / 1024  # a page at least
    return {
        "repl_cell": level(answer["python"], scale=1e3),
        "repl_cell_node": level(answer["node"], scale=1e3),
        "repl_start": level(answer["started"], scale=1e3),
        "repl_growth": Measured(grown, grown, f"{answer['cells']:,} cells"),
    }


FAMILIES = (
    Family(
        "repl",
        (
            Figure("repl_cell", "cell `1` in a Python session", "ms", bar=5),
            Figure("repl_cell_node", "the same in Node", "ms", bar=5),
            Figure("repl_start", "first cell of a Python session", "ms"),
            Figure("repl_growth", "memory that many cells add to a session", "MB", bar=10),
        ),
        measure,
    ),
)
