"""What a command costs through the whole pipeline, journal and sandbox included."""

from __future__ import annotations

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import level, ratio
from bench.processes import ask_fresh


def measure(effort: Effort) -> dict[str, Measured]:
    """Run commands in a warm task, in new ones and in the background."""
    answer = ask_fresh("terminal:measure", rounds=min(effort.rounds, 10))
    short, long, longest = answer["late"]
    lines, zeros = answer["lines"], answer["zeros"]
    grown = max(lines["grown"], zeros["grown"]) / 1024
    return {
        "terminal_true": ratio(answer["ours"], answer["bash"]),
        "terminal_fresh": ratio(answer["fresh"], answer["again"]),
        "terminal_late_short": level(short["woken"], scale=1e3),
        "terminal_late_long": level(long["woken"], scale=1e3),
        "terminal_late_longest": level(longest["woken"], scale=1e3),
        "terminal_late_whole": level(longest["whole"], scale=1e3),
        "terminal_first": level(answer["first"], scale=1e3),
        "terminal_spawn": level(answer["spawned"], scale=1e3),
        "terminal_output": ratio(lines["output"], lines["pipe"]),
        "terminal_output_zeros": ratio(zeros["output"], zeros["pipe"]),
        "terminal_output_memory": Measured(grown, grown),
    }


def tasks(effort: Effort) -> dict[str, Measured]:
    """Open many tasks at once and close them."""
    count = min(200, effort.calls)
    answer = ask_fresh("terminal:tasks", count=count)
    ours, everything = (max(1, answer[name]) / 1024 / count for name in ("ours", "all"))
    left = float(answer["left"])
    return {
        "terminal_task_memory": Measured(ours, ours, f"{count} tasks at once"),
        "terminal_task_memory_all": Measured(everything, everything),
        "terminal_task_left": Measured(left, left),
    }


def elsewhere(effort: Effort) -> dict[str, Measured]:
    """Run commands on another machine and in a container, beside the clients themselves."""
    rounds = min(effort.rounds, 10) * 2
    ssh, container = (
        ask_fresh("elsewhere:ssh", rounds=rounds),
        ask_fresh("elsewhere:container", rounds=rounds),
    )
    return {
        "terminal_ssh": ratio(ssh["ours"], ssh["raw"]),
        "terminal_container": ratio(container["ours"], container["raw"]),
    }


FAMILIES = (
    Family(
        "terminal",
        (
            Figure("terminal_true", "`true` in a warm task ÷ `bash -c true`", bar=0.6),
            Figure("terminal_fresh", "`bash -c true` in a warm task ÷ outside", bar=2.5),
            Figure(
                "terminal_late_short", "answer after the end of a command of 0.05 s", "ms", bar=3
            ),
            Figure("terminal_late_long", "the same after 0.3 s", "ms", bar=3),
            Figure("terminal_late_longest", "the same after 1 s", "ms", bar=3),
            Figure("terminal_late_whole", "the same with starting `sleep 1`", "ms"),
            Figure("terminal_first", "first command of a task", "ms", bar=40),
            Figure("terminal_spawn", "starting one in the background", "ms", bar=5),
            Figure("terminal_output", "100 MB of lines ÷ reading a pipe", bar=1.3),
            Figure(
                "terminal_output_zeros",
                "100 MB that cost nothing to print, and are saved ÷ read and thrown away",
            ),
            Figure("terminal_output_memory", "memory that it takes", "MB", bar=20),
        ),
        measure,
    ),
    Family(
        "terminal_tasks",
        (
            Figure("terminal_task_memory", "memory of hermes for a task with a shell", "MB", bar=4),
            Figure("terminal_task_memory_all", "the same with the task's processes", "MB"),
            Figure("terminal_task_left", "processes left after all are closed", "processes", bar=0),
        ),
        tasks,
    ),
    Family(
        "terminal_elsewhere",
        (
            Figure("terminal_ssh", "`true` by ssh in a warm task ÷ `ssh` with a master", bar=1.2),
            Figure("terminal_container", "`true` in a container ÷ `podman exec`", bar=1.1),
        ),
        elsewhere,
    ),
)
