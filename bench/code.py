"""What scripts that call tools cost, sandbox and journal included."""

from __future__ import annotations

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import level, ratio
from bench.processes import ask_fresh


def measure(effort: Effort) -> dict[str, Measured]:
    """Run scripts beside plain Python, and time the calls that they make."""
    answer = ask_fresh("code:measure", rounds=min(effort.rounds, 10), calls=effort.calls)
    return {
        "script_print": ratio(answer["script"], answer["plain"]),
        "script_print_quick": ratio(answer["quick"], answer["plain"]),
        "script_trip": level(answer["trips"], scale=1e3),
        "script_reads": level(answer["reads"], scale=1e3),
        "script_naps": level(answer["naps"]),
    }


FAMILIES = (
    Family(
        "code",
        (
            Figure("script_print", "`print(1)` by execute_code ÷ `python -c`", bar=1.4),
            Figure("script_print_quick", "the same in pydantic-monty", bar=1.4),
            Figure("script_trip", "round trip of a call that does nothing", "ms", bar=0.15),
            Figure("script_reads", "49 calls of read_file by a script", "ms", bar=60),
            Figure("script_naps", "20 calls at once that sleep 0.5 s", "s", bar=0.7),
        ),
        measure,
    ),
)
