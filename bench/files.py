"""What the file tools cost through the whole pipeline."""

from __future__ import annotations

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import level, ratio
from bench.processes import ask_fresh

_MUCH = 500
"""From so many calls on the real sizes are measured; with fewer it is only tried out."""


def read_and_write(effort: Effort) -> dict[str, Measured]:
    """Read and write small files, and parts of a large one."""
    rounds = min(effort.rounds, 10)
    small = ask_fresh("files:small", rounds=rounds)
    large = ask_fresh("files:large", rounds=rounds, megabytes=_scaled(effort, 1_000))
    grown = large["grown"] / 1024
    return {
        "file_read": level(small["read"], scale=1e3),
        "file_head": level(large["head"], scale=1e3),
        "file_middle": ratio(*large["middle"]),
        "file_middle_memory": Measured(grown, grown),
        "file_write": ratio(*small["small"]),
        "file_write_large": ratio(*small["large"]),
    }


def search(effort: Effort) -> dict[str, Measured]:
    """Search a tree and list another."""
    rounds = min(effort.rounds, 9)
    found = ask_fresh("files:search", rounds=rounds, megabytes=_scaled(effort, 240))
    listed = ask_fresh("files:tree", rounds=rounds, files=_scaled(effort, 100_000))
    return {
        "file_search": ratio(found["ours"], found["raw"]),
        "file_search_plain": ratio(found["plain"], found["raw"]),
        "file_tree": ratio(listed["ours"], listed["find"]),
    }


def _scaled(effort: Effort, whole: int) -> int:
    return whole if effort.calls >= _MUCH else max(1, whole // 500)


FAMILIES = (
    Family(
        "files",
        (
            Figure("file_read", "reading 200 bytes", "ms", bar=0.3),
            Figure("file_head", "the head of a file of 1 GB", "ms", bar=1),
            Figure("file_middle", "lines in its middle ÷ a plain scan", bar=1.2),
            Figure("file_middle_memory", "memory that it takes", "MB", bar=10),
            Figure("file_write", "writing 1 KB ÷ write, fsync and rename", bar=3),
            Figure("file_write_large", "the same with 1 MB", bar=3),
        ),
        read_and_write,
    ),
    Family(
        "file_search",
        (
            Figure("file_search", "a page of 44,000 hits in 240 MB ÷ `rg`", bar=1.5),
            Figure("file_search_plain", "the same without ripgrep ÷ `rg`", bar=6),
            Figure("file_tree", "a tree of 100,000 files ÷ `find`", bar=2),
        ),
        search,
    ),
)
