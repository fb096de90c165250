"""What the tools of MCP servers cost: a call, several at once, and servers that nobody uses."""

from __future__ import annotations

from statistics import median

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import interleave, level, ratio, seconds
from bench.processes import PYTHON, Place, ask_fresh

_CALLS = 200
_UNUSED = 10
_START = [PYTHON, "-c", "from hermes import Runtime; Runtime().close()"]


def round_trip(effort: Effort) -> dict[str, Measured]:
    """Compare a call through our whole pipeline with the SDK's client on the same servers."""
    calls = min(effort.calls, _CALLS)
    found = {}
    for name, small in (("servers_call", 0), ("servers_call_small", 1)):
        times = ask_fresh("servers:round_trip", rounds=effort.rounds, calls=calls, small=small)
        found[name] = ratio(times["hermes"], times["sdk"])
    return found


def parallel(effort: Effort) -> dict[str, Measured]:
    """Time calls that wait at the same time."""
    times = ask_fresh("servers:parallel", rounds=max(effort.rounds // 3, 1))
    return {"servers_parallel": level(times)}


def unused(effort: Effort) -> dict[str, Measured]:
    """Compare a start with servers that are configured and unused with one without any.

    Both have a config.yaml, since a user who has none also has no servers.
    """
    with Place() as none, Place() as ten:
        none.ask("servers:meet", count=0)
        ten.ask("servers:meet", count=_UNUSED)
        works = [none.starter(_START), ten.starter(_START)]
        without, with_them = interleave(effort.processes, works)
    more = [(mine - bare) * 1e3 for mine, bare in zip(with_them, without, strict=True)]
    detail = f"{seconds(median(with_them))} against {seconds(median(without))}"
    best = (min(with_them) - min(without)) * 1e3
    return {"servers_unused": Measured(median(more), best, detail)}


FAMILIES = (
    Family(
        "servers_call",
        (
            Figure(
                "servers_call",
                "call of an MCP server's tool through the whole pipeline ÷ the SDK's client,"
                " on a server of the SDK",
                bar=1.15,
            ),
            Figure("servers_call_small", "the same on a server of the standard library", bar=1.15),
        ),
        round_trip,
    ),
    Family(
        "servers_parallel",
        (
            Figure(
                "servers_parallel", "5 calls at once of an MCP tool that takes 0.5 s", "s", bar=0.6
            ),
        ),
        parallel,
    ),
    Family(
        "servers_unused",
        (
            Figure(
                "servers_unused", "start with 10 MCP servers that are not used, more", "ms", bar=5
            ),
        ),
        unused,
    ),
)
