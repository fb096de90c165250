"""What the loop itself costs, and what children take."""

from __future__ import annotations

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import level
from bench.processes import ask_fresh

_LONG = 2_000
_CHILDREN = 100
_MUCH = 500
"""From so many calls on the real sizes are measured; with fewer it is only tried out."""


def measure(effort: Effort) -> dict[str, Measured]:
    """Run turns with a model that answers at once, and have many children work."""
    count = _CHILDREN if effort.calls >= _MUCH else 2
    family = ask_fresh("agent:children", count=count)
    each = family["each"] / 1e6
    return {
        "agent_turn": _turns(effort),
        "agent_turn_long": _turns(effort, earlier=_LONG),
        "agent_turn_recorded": _turns(effort, recorded=1),
        "agent_child": Measured(each, each, f"{family['done']} of {count} reported"),
    }


def _turns(effort: Effort, *, earlier: int = 0, recorded: int = 0) -> Measured:
    calls = max(1, min(effort.calls // 20, 50))
    times: list[float] = []
    for _ in range(min(effort.children, 3)):
        times += ask_fresh(
            "agent:turns", rounds=effort.rounds, calls=calls, earlier=earlier, recorded=recorded
        )["times"]
    return level(times, scale=1e3)


FAMILIES = (
    Family(
        "agent",
        (
            Figure("agent_turn", "a turn: two answers of a model, one no-op tool", "ms", bar=1),
            Figure("agent_turn_long", "the same after 2,000 messages", "ms"),
            Figure("agent_turn_recorded", "the same, its messages kept durably", "ms"),
            Figure("agent_child", "peak memory of a child, 100 at once", "MB", bar=3),
        ),
        measure,
    ),
)
