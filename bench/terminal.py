"""What a command costs through the whole pipeline, journal and sandbox included."""

from __future__ import annotations

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import level, ratio
from bench.processes import ask_fresh


def measure(effort: Effort) -> dict[str, Measured]:
    """Run commands in a warm task, in new ones and in the background."""
    answer = ask_fresh("terminal:measure", rounds=min(effort.rounds, 10))
    short, long = answer["late"]
    output, grown = answer["output"] / answer["pipe"], answer["grown"] / 1024
    return {
        "terminal_true": ratio(answer["ours"], answer["bash"]),
        "terminal_late_short": level(short, scale=1e3),
        "terminal_late_long": level(long, scale=1e3),
        "terminal_first": level(answer["first"], scale=1e3),
        "terminal_spawn": level(answer["spawned"], scale=1e3),
        "terminal_output": Measured(output, output),
        "terminal_output_memory": Measured(grown, grown),
    }


FAMILIES = (
    Family(
        "terminal",
        (
            Figure("terminal_true", "`true` in a warm task ÷ `bash -c true`", bar=0.6),
            Figure("terminal_late_short", "answer after a command of 0.05 s", "ms", bar=3),
            Figure("terminal_late_long", "the same after 0.3 s", "ms", bar=3),
            Figure("terminal_first", "first command of a task", "ms", bar=40),
            Figure("terminal_spawn", "starting one in the background", "ms", bar=5),
            Figure("terminal_output", "100 MB of output ÷ reading a pipe", bar=1.3),
            Figure("terminal_output_memory", "memory that it takes", "MB", bar=20),
        ),
        measure,
    ),
)
