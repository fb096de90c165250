"""Checks that every environment passes, ours or a plugin's, without a test framework."""

from __future__ import annotations

from collections.abc import Iterable

from hermes.environments.conformance import (
    background,
    concurrency,
    exits,
    file_work,
    foreground_children,
    lifecycle,
    searches,
    sizes,
    state,
    streams,
    terminals,
    timeouts,
    transfers,
    workdirs,
)
from hermes.environments.conformance.bench import Factory
from hermes.environments.conformance.suite import Check, Finding, checks_in, run_checks

__all__ = ["CHECKS", "Check", "Factory", "Finding", "run"]

_MODULES = (
    state,
    workdirs,
    exits,
    timeouts,
    streams,
    sizes,
    concurrency,
    background,
    foreground_children,
    terminals,
    file_work,
    searches,
    transfers,
    lifecycle,
)
CHECKS: tuple[Check, ...] = tuple(each for module in _MODULES for each in checks_in(module))


async def run(factory: Factory, only: Iterable[str] | None = None) -> list[Finding]:
    """Run all checks on a backend, or those named, each on an environment of its own."""
    return await run_checks(CHECKS, factory, only)
