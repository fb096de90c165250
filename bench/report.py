"""Write what was measured: for a terminal, for a program, and for bench/RESULTS.md."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from bench.figure import TIMES, Figure, Measured
from bench.harness import digits


class Row(NamedTuple):
    """A figure with what came of it, or with why nothing did."""

    figure: Figure
    measured: Measured | None
    problem: str = ""

    @property
    def state(self) -> str:
        """Say in a word how the figure stands."""
        if self.measured is None:
            return "failed"
        reached = self.figure.reaches(self.measured.value)
        return {True: "ok", False: "over", None: ""}[reached]


def line(row: Row) -> str:
    """Return a row for a terminal."""
    value, best, detail = _shown(row)
    return f"{row.figure.name:26}{value:>14}{best:>14}{_bar(row.figure):>14}  {row.state:7}{detail}"


def head() -> str:
    """Return the line above all rows on a terminal."""
    return f"{'figure':26}{'median':>14}{'best':>14}{'bar':>14}"


def record(row: Row) -> dict[str, Any]:
    """Return a row as JSON."""
    figure, measured = row.figure, row.measured
    return {
        "name": figure.name,
        "what": figure.what,
        "unit": figure.unit,
        "bar": figure.bar,
        "value": measured and measured.value,
        "best": measured and measured.best,
        "detail": measured.detail if measured else row.problem,
        "state": row.state,
    }


def page(rows: Sequence[Row], command: str) -> str:
    """Return the text of RESULTS.md."""
    barred = [row for row in rows if row.figure.bar is not None]
    reached = sum(row.state == "ok" for row in barred)
    lines = [
        "# Results",
        "",
        f"Written by `{command}`; [what is measured and how](../docs/benchmarks.md).",
        "",
        f"{machine()}.",
        "",
        f"{reached} of {len(barred)} figures with a bar reach it. The median is held against the "
        "bar; an empty bar means that a figure only informs.",
        "",
        "| figure | what | median | best | bar | | |",
        "| --- | --- | ---: | ---: | ---: | --- | --- |",
        *(_markdown(row) for row in rows),
    ]
    return "\n".join(lines) + "\n"


def _markdown(row: Row) -> str:
    value, best, detail = _shown(row)
    state = row.state if row.state in {"ok", ""} else f"**{row.state}**"
    cells = (f"`{row.figure.name}`", row.figure.what, value, best, _bar(row.figure), state, detail)
    return "| " + " | ".join(cells) + " |"


def _shown(row: Row) -> tuple[str, str, str]:
    if row.measured is None:
        return "", "", row.problem.splitlines()[-1]
    unit = row.figure.unit
    return (
        _with_unit(row.measured.value, unit),
        _with_unit(row.measured.best, unit),
        row.measured.detail,
    )


def _bar(figure: Figure) -> str:
    if figure.bar is None:
        return ""
    number = f"{figure.bar:,g}"
    text = f"{number}{TIMES}" if figure.unit == TIMES else f"{number} {figure.unit}"
    return f"≥ {text}" if figure.at_least else f"≤ {text}"


def _with_unit(value: float, unit: str) -> str:
    if unit in {"modules", "tokens"}:
        return f"{value:,.0f}"
    return f"{digits(value)}{TIMES if unit == TIMES else f' {unit}'}"


def machine() -> str:
    """Return what the figures depend on, and nothing that names this machine."""
    today = datetime.now(UTC).date().isoformat()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{processor()}, {os.cpu_count()} cores, {platform.system()}, {python}, {today}"


def processor() -> str:
    """Return the processor's model."""
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for fact in facts.read_text(encoding="utf-8").splitlines():
            if fact.startswith("model name"):
                return " ".join(fact.partition(":")[2].split())
    return platform.processor() or platform.machine()
