"""What an MCP client waits for: our server's start, and the way of a call through it."""

from __future__ import annotations

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import level, ratio
from bench.processes import ask_fresh

_CALLS = 200


def ready(effort: Effort) -> dict[str, Measured]:
    """Compare the start of our server with that of the SDK's, for the same client."""
    times = ask_fresh("serving:ready", rounds=max(effort.processes // 3, 1))
    return {
        "serving_ready": ratio(times["hermes"], times["sdk"]),
        "serving_ready_shipped": level(times["shipped"], scale=1_000),
    }


def round_trip(effort: Effort) -> dict[str, Measured]:
    """Compare a call of a tool that does nothing, through our whole pipeline and the SDK's."""
    calls = min(effort.calls, _CALLS)
    times = ask_fresh("serving:round_trip", rounds=effort.rounds, calls=calls)
    return {"serving_call": ratio(times["hermes"], times["sdk"])}


FAMILIES = (
    Family(
        "serving_ready",
        (
            Figure(
                "serving_ready",
                "start of an MCP server on stdio until a client knows its tool ÷ the SDK's server",
                bar=0.15,
            ),
            Figure("serving_ready_shipped", "the same of `hermes mcp serve` as it ships", "ms"),
        ),
        ready,
    ),
    Family(
        "serving_call",
        (
            Figure(
                "serving_call",
                "round trip of an MCP call, through the whole pipeline ÷ the SDK's server",
                bar=0.6,
            ),
        ),
        round_trip,
    ),
)
