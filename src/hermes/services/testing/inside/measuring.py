"""Measure which lines tests run. Goes along with the reporters: nothing of hermes is imported."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any


def covered(cov: Any) -> dict[str, Any]:
    """Return what share of the lines was run, by file."""
    files: list[dict[str, Any]] = []
    statements, missed = 0, 0
    for path in sorted(cov.get_data().measured_files()):
        _, lines, _, missing, shown = cov.analysis2(path)
        statements, missed = statements + len(lines), missed + len(missing)
        if lines:
            share = round(100.0 * (len(lines) - len(missing)) / len(lines), 1)
            files.append({"file": path, "percent": share, "missing": shown[:200]})
    total = round(100.0 * (statements - missed) / statements, 1) if statements else 0.0
    files.sort(key=lambda each: float(each["percent"]))
    return {"percent": total, "files": files[:50]}


def measuring(tell: Callable[..., None], *, wanted: bool) -> Any:
    """Return what measures coverage, started; None if it is not wanted, or not there."""
    if not wanted:
        return None
    try:
        import coverage
    except ImportError:
        tell(event="coverage", coverage={"missing": "pip install coverage"})
        return None
    cov = coverage.Coverage(data_file=None, source=[os.getcwd()], messages=False)
    cov.start()
    return cov


def told(tell: Callable[..., None], cov: Any) -> None:
    """Tell what was measured, if anything was."""
    if cov is not None:
        cov.stop()
        tell(event="coverage", coverage=covered(cov))
