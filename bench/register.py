"""What it costs to declare tools."""

from __future__ import annotations

from bench.figure import MICROSECONDS, Effort, Family, Figure, Measured
from bench.harness import level, ratio
from bench.processes import Place

COUNT = 100


def measure(effort: Effort) -> dict[str, Measured]:
    """Compare registering and exporting functions with building models, each in a new process."""
    with Place() as place:

        def taken(how: str) -> float:
            return float(place.ask(f"register:{how}", count=COUNT))

        taken("with_pydantic"), taken("with_hermes")
        rounds = range(max(effort.processes // 2, 1))
        pairs = [(taken("with_pydantic"), taken("with_hermes")) for _ in rounds]
    pydantic, hermes = map(list, zip(*pairs, strict=True))
    return {
        "register": ratio(hermes, pydantic),
        "register_each": level(hermes, scale=1e6 / COUNT),
    }


FAMILIES = (
    Family(
        "register",
        (
            Figure(
                "register",
                "registering 100 typed functions and their first export"
                " ÷ 100 pydantic models with schemas",
                bar=0.05,
            ),
            Figure("register_each", "that, for one of them", MICROSECONDS),
        ),
        measure,
    ),
)
