"""A registry of very many tools, against one of ten."""

from __future__ import annotations

from itertools import repeat
from time import perf_counter

from bench.harness import interleave
from bench.inside.calls import ARGUMENTS, noop
from hermes import Runtime
from hermes.runtime.registry import ToolRegistry
from hermes.tools import tool

FEW = 10
PER_TOOLSET = 100


def _registry(count: int) -> ToolRegistry:
    """Return that many tools, of which the toolset `ten` holds the first ten."""
    registry = ToolRegistry()
    for number in range(count):
        toolset = "ten" if number < FEW else f"bulk_{number // PER_TOOLSET}"
        tool(registry=registry, name=f"tool_{number}", toolset=toolset, effects="read")(noop)
    return registry


def compare(rounds: int, calls: int, tools: int) -> dict:
    """Return seconds with few tools and with many: a call, and definitions of ten of them."""
    _first_definitions(Runtime(registry=_registry(FEW)))  # loads what both then share
    with Runtime(registry=_registry(FEW)) as few:
        started = perf_counter()
        registry = _registry(tools)
        registering = perf_counter() - started
        with Runtime(registry=registry) as many:
            pairs = {
                "cold": [[_first_definitions(few)], [_first_definitions(many)]],
                "rebuilt": _rebuilt(few, many, rounds),
                "warm": _each(_warm(few, many, rounds, calls), calls),
                "call": _each(_calls(few, many, rounds, calls), calls),
            }
    return {**pairs, "registering": registering}


def _each(times: list, calls: int) -> list:
    return [[taken / calls for taken in rounds] for rounds in times]


def _first_definitions(runtime: Runtime) -> float:
    started = perf_counter()
    definitions = runtime.definitions(["ten"])
    taken = perf_counter() - started
    assert len(definitions) == FEW
    return taken


def _rebuilt(few: Runtime, many: Runtime, rounds: int) -> list:
    """Time definitions after another tool has been replaced, which makes all of them stale."""

    def replace() -> None:
        for runtime in (few, many):
            tool(registry=runtime.registry, name="tool_0", toolset="ten", effects="read")(noop)

    works = [lambda: few.definitions(["ten"]), lambda: many.definitions(["ten"])]
    return interleave(rounds, works, between=replace)


def _warm(few: Runtime, many: Runtime, rounds: int, calls: int) -> list:
    def asking(runtime: Runtime):
        def work() -> None:
            for _ in repeat(None, calls):
                runtime.definitions(["ten"])

        return work

    return interleave(rounds, [asking(few), asking(many)])


def _calls(few: Runtime, many: Runtime, rounds: int, calls: int) -> list:
    def calling(runtime: Runtime):
        call = runtime.call_sync
        assert call("tool_9", ARGUMENTS) == '{"result":"hello"}'

        def work() -> None:
            for _ in repeat(None, calls):
                call("tool_9", ARGUMENTS)

        return work

    def pause() -> None:
        few.journal.flush()
        many.journal.flush()

    return interleave(rounds, [calling(few), calling(many)], between=pause)
