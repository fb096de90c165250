"""What a figure is: a name, what it measures, against what, and the bar it must reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

TIMES = "\N{MULTIPLICATION SIGN}"
MICROSECONDS = "\N{MICRO SIGN}s"


class Figure(NamedTuple):
    """One row of the results; without a bar it only informs."""

    name: str
    what: str
    unit: str = TIMES
    bar: float | None = None
    at_least: bool = False
    """Whether more is better; otherwise the bar is the most it may be."""

    def reaches(self, value: float) -> bool | None:
        """Say whether a value reaches the bar, or None where there is none."""
        if self.bar is None:
            return None
        return value >= self.bar if self.at_least else value <= self.bar


class Measured(NamedTuple):
    """What came of a figure: the median, which is held against the bar, and the best."""

    value: float
    best: float
    detail: str = ""


class Effort(NamedTuple):
    """How much is measured."""

    processes: int
    """Rounds of figures that start a program."""
    children: int
    """Fresh processes for figures that measure inside one."""
    rounds: int
    """Rounds inside such a process."""
    calls: int
    """Calls in one round."""
    naps: int
    """Calls that wait at the same time."""
    tools: int
    """Tools in the large registry."""
    extra_tools: int = 80
    """Tool modules added to the built-in ones, to stand for a full catalogue."""


FULL = Effort(processes=25, children=5, rounds=15, calls=2_000, naps=1_000, tools=10_000)
QUICK = Effort(processes=5, children=2, rounds=3, calls=500, naps=1_000, tools=10_000)
TINY = Effort(processes=1, children=1, rounds=1, calls=3, naps=5, tools=30, extra_tools=3)


class Family(NamedTuple):
    """Figures that are measured together."""

    name: str
    figures: tuple[Figure, ...]
    measure: Callable[[Effort], dict[str, Measured]]

    def answers_to(self, name: str) -> bool:
        """Say whether a name on the command line means this family or one of its figures."""
        return name == self.name or any(name == figure.name for figure in self.figures)
