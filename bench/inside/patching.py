"""Patch a large file again and again."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from hermes import Runtime

FUNCTION = """\
def function_{0}(first, second):
    total = first + second * {0}
    if total > {0}:
        return total - {0}
    return total
"""
FILE = "".join(FUNCTION.format(number) for number in range(1_000))
MIDDLE = "".join(FUNCTION.format(number) for number in range(500, 504))
TABBED = MIDDLE.replace("    ", "\t")


def measure(rounds: int) -> dict:
    """Return the seconds of each call."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.py"
        path.write_text(FILE, encoding="utf-8")
        with Runtime(cwd=folder) as runtime:
            return {
                "exact": _times(runtime, rounds, _swapped(MIDDLE), "exact"),
                "sloppy": _times(runtime, rounds, _swapped(TABBED), "indentation"),
                "miss": _times(
                    runtime, rounds, [(MIDDLE.replace("total >", "totals >"), "x")], "no_match"
                ),
            }


def _swapped(text: str) -> list[tuple[str, str]]:
    """Return an edit and the one that takes it back."""
    other = text.replace("first + second * 502", "second * 502 + first")
    return [(text, other), (other, text)]


def _times(runtime: Runtime, rounds: int, edits: list[tuple[str, str]], word: str) -> list[float]:
    times = []
    for number in range(rounds * 2):
        old, new = edits[number % len(edits)]
        arguments = {"path": "large.py", "old_string": old, "new_string": new}
        start = time.perf_counter()
        answer = runtime.call_sync("patch", arguments)
        times.append(time.perf_counter() - start)
        assert f'"{word}"' in answer, answer
    return times
