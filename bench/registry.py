"""Whether a registry of 10,000 tools is as quick as one of ten."""

from __future__ import annotations

from bench.figure import MICROSECONDS, Effort, Family, Figure, Measured
from bench.harness import level, ratio
from bench.processes import ask_fresh


def measure(effort: Effort) -> dict[str, Measured]:
    """Compare calls and definitions with many tools and with ten."""
    few: dict[str, list[float]] = {"call": [], "cold": [], "rebuilt": [], "warm": []}
    many: dict[str, list[float]] = {name: [] for name in few}
    registering = []
    for _ in range(effort.children):
        answer = ask_fresh(
            "registry:compare", rounds=effort.rounds, calls=effort.calls, tools=effort.tools
        )
        registering.append(answer["registering"])
        for name in few:
            few[name] += answer[name][0]
            many[name] += answer[name][1]
    ratios = {name: ratio(many[name], few[name]) for name in few}
    return {
        "registry_10k_call": ratios["call"],
        "registry_10k_definitions": ratios["cold"],
        "registry_10k_rebuilt": ratios["rebuilt"],
        "registry_10k_warm": ratios["warm"],
        "registry_10k_register": level(registering, scale=1e6 / effort.tools),
    }


FAMILIES = (
    Family(
        "registry_10k",
        (
            Figure("registry_10k_call", "a call with 10,000 tools ÷ with 10", bar=1.2),
            Figure("registry_10k_definitions", "first definitions of 10 of them ÷ of 10", bar=2),
            Figure("registry_10k_rebuilt", "the same after a tool was replaced", bar=2),
            Figure("registry_10k_warm", "the same, asked for again", bar=2),
            Figure("registry_10k_register", "registering one of 10,000", MICROSECONDS),
        ),
        measure,
    ),
)
