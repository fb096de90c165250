"""Gather sections of facts together, so that the slowest one sets the time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import psutil

from hermes.services.machine import facts, gpu, usage

Facts = dict[str, Any]
Environment = Mapping[str, str]


async def look(sections: Sequence[str], environment: Environment) -> dict[str, Any]:
    """Return the named sections in the order asked."""
    found = await asyncio.gather(*(_section(name, environment) for name in sections))
    return dict(zip(sections, found, strict=True))


async def _section(name: str, environment: Environment) -> Any:
    try:
        return await _SECTIONS[name](environment)
    except (psutil.Error, OSError, RuntimeError, NotImplementedError, AttributeError) as error:
        # Each system lacks some counters; psutil says so in all of these ways.
        return {"error": f"cannot be read here: {error or type(error).__name__}"}


async def _cpu(_: Environment) -> Facts:
    percent, known = await asyncio.gather(usage.cpu_percent(), asyncio.to_thread(facts.cpu))
    return {"percent": percent, **known}


async def _memory(_: Environment) -> Facts:
    return facts.memory()


async def _disk(_: Environment) -> list[Facts]:
    return await asyncio.to_thread(facts.disks)


async def _network(_: Environment) -> Facts:
    return await asyncio.to_thread(facts.network)


async def _processes(_: Environment) -> Facts:
    return await usage.busiest()


async def _os(environment: Environment) -> Facts:
    return await asyncio.to_thread(facts.system, environment)


_SECTIONS: dict[str, Callable[[Environment], Awaitable[Any]]] = {
    "cpu": _cpu,
    "memory": _memory,
    "disk": _disk,
    "network": _network,
    "processes": _processes,
    "os": _os,
    "gpu": gpu.cards,
}
