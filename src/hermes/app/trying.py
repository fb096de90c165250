"""Environments for a person: looked at, held against the checks, or sat in."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from hermes.app.backends import Ground, Place, every, find
from hermes.app.runtime import Runtime
from hermes.config.settings import Settings
from hermes.environments.conformance import CHECKS, Check, Finding
from hermes.environments.contract import Environment, Refused
from hermes.runtime.bridge import loop_thread
from hermes.runtime.context import TaskVariables

Report = Callable[[str], None]
T = TypeVar("T")
_LEAVE_SECONDS = 30.0


class Standing(NamedTuple):
    """A backend, and whether it can be used here."""

    name: str
    about: str
    is_chosen: bool
    lacking: Refused | None


def standings(settings: Settings) -> list[Standing]:
    """Return all backends with what each lacks here; they are asked at the same time."""
    rows, chosen = every(), settings.terminal.environment
    with ThreadPoolExecutor(len(rows)) as workers:
        lacking = workers.map(lambda row: row.lacks(settings), rows)
        return [
            Standing(row.name, row.about, row.name == chosen, found)
            for row, found in zip(rows, lacking, strict=True)
        ]


def environment(
    runtime: Runtime, root: str, report: Report, *, is_trial: bool = False
) -> Environment:
    """Return the environment that a task of a runtime would have, not started; close it."""
    _ = runtime.gate  # what makes calls provides the services
    home = runtime.environment.get("HOME", "/")
    ground = Ground(runtime.services, runtime.settings, home)
    variables = runtime.services.get(TaskVariables).safe("person")
    place = Place("person", root, variables, report, is_trial=is_trial)
    return find(runtime.settings.terminal.environment).make(ground, place)


def group(check: Check) -> str:
    """Return what a check is about, in a word or two."""
    return check.body.__module__.rpartition(".")[2].replace("_", " ")


def chosen(names: list[str], *, is_quick: bool) -> list[Check]:
    """Return the checks to be run: all, those named, or the first of every group."""
    if names:
        return [check for check in CHECKS if check.name in names]
    if not is_quick:
        return list(CHECKS)
    firsts: dict[str, Check] = {}
    for check in CHECKS:
        firsts.setdefault(group(check), check)
    return list(firsts.values())


def try_out(
    runtime: Runtime, checks: list[Check], report: Callable[[Check, Finding | None], None]
) -> list[Finding]:
    """Run checks on the backend of a runtime; ``report`` hears of each before and after it.

    Raises:
        Refused: the environment cannot be had at all.
    """

    async def run(parent: str) -> list[Finding]:
        def factory() -> Environment:
            root = tempfile.mkdtemp(dir=parent)
            return environment(runtime, root, lambda _: None, is_trial=True)

        first = factory()
        try:
            await first.start()
        finally:
            await first.close()
        findings = []
        for check in checks:
            report(check, None)
            findings.append(await check.run(factory))
            report(check, findings[-1])
        return findings

    prefix = "hermes-trial-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as parent:
        return wait(run(parent))


def wait(work: Coroutine[Any, Any, T]) -> T:
    """Wait for a coroutine on our own loop; an interrupt stops it, and waits until it has."""
    ended = threading.Event()

    async def whole() -> T:
        try:
            return await work
        finally:
            ended.set()

    running = loop_thread().submit(whole())
    try:
        return running.result()
    except KeyboardInterrupt:
        running.cancel()
        ended.wait(_LEAVE_SECONDS)
        raise
