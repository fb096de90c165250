"""What changing a part of a file costs through the whole pipeline, and what a miss costs."""

from __future__ import annotations

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import level
from bench.processes import ask_fresh


def measure(effort: Effort) -> dict[str, Measured]:
    """Patch a Python file of 5,000 lines, and look in it for what is not there."""
    answer = ask_fresh("patching:measure", rounds=effort.rounds * 2)
    return {
        "files_patch_exact": level(answer["exact"], scale=1e3),
        "files_patch_sloppy": level(answer["sloppy"], scale=1e3),
        "files_patch_miss": level(answer["miss"], scale=1e3),
    }


FAMILIES = (
    Family(
        "files_patch",
        (
            Figure("files_patch_exact", "exact patch of 5,000 lines of Python", "ms", bar=5),
            Figure("files_patch_sloppy", "the same with tabs for spaces, 20 lines", "ms"),
            Figure("files_patch_miss", "20 lines that are not there", "ms", bar=50),
        ),
        measure,
    ),
)
