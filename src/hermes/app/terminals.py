"""Make what the terminal works with: environments by the settings, and the background."""

from __future__ import annotations

import asyncio
import functools
import resource
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any

from hermes.app.backends import Ground, Place, find
from hermes.app.boundaries import Boxes
from hermes.app.command_work import keep
from hermes.app.task_walls import TaskWalls
from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.config.settings import Settings
from hermes.environments.contract import Environment
from hermes.environments.inside.pump import Pump
from hermes.environments.local import LocalEnvironment
from hermes.environments.processes import Processes
from hermes.runtime.boundary import Boundary
from hermes.runtime.bridge import loop_thread
from hermes.runtime.context import Services, Task
from hermes.services.terminal import Job, Terminal

_OPEN_FILES = 16_384


def terminal(services: Services, settings: Settings, home: str) -> Terminal:
    """Return the terminal of a runtime."""
    _make_room()
    ground = Ground(services, settings, home)
    services.get(Pump)  # made before, so that it is closed after
    make = functools.partial(_environment, ground)
    processes = Processes(settings.home / "processes")
    return Terminal(
        make,
        processes,
        settings.home / "results",
        loop_thread().submit,
        keep(services, settings, home),
        idle_seconds=settings.terminal.idle_seconds,
        begin=_begin,
    )


def _make_room() -> None:
    """Allow this process as many open files as it may have: a task with a shell holds six."""
    current, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if most == resource.RLIM_INFINITY else min(most, _OPEN_FILES)
    if current != resource.RLIM_INFINITY and current < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _begin(work: Coroutine[Any, Any, None]) -> Future[None]:
    """Start a coroutine on our own loop, also from there."""
    return asyncio.run_coroutine_threadsafe(work, loop_thread().loop)


def choose(services: Services, settings: Settings, task: Task, name: str) -> None:
    """Have the commands of a task run in a backend, from its first command on.

    Raises:
        ConfigError: there is no such backend, or the task's commands run elsewhere already.
    """
    find(name)
    current = task.environment or settings.terminal.environment
    if name == current:
        return
    if services.get(Terminal).has_run(task.id):
        hint = "Choose before the first command, or end the task first."
        raise ConfigError(f"the commands of task {task.id!r} run in {current} already", hint=hint)
    task.environment = name


def _environment(ground: Ground, job: Job, report: Callable[[str], None]) -> Environment:
    """Return the environment that a task's first command is run in; it is not started yet."""
    backend = find(job.environment or ground.settings.terminal.environment)
    return backend.make(ground, Place(job.task_id, job.root, job.variables, report))


async def _asking(ground: Ground, task_id: str) -> dict[str, str]:
    """Return what a command outside of its box sees, so that its sudo asks a person."""
    passwords = ground.services.get(load("hermes.app.passwords").Passwords)
    found: dict[str, str] = await passwords.variables(task_id)
    return found


def local_environment(ground: Ground, place: Place) -> Environment:
    """Return an environment on this machine, in the box of its folder."""
    boxes: Boxes = ground.services.get(Boundary)  # type: ignore[assignment]  # ours
    pump = ground.services.get(Pump)
    walls = TaskWalls(lambda: boxes, place.root, pump, lambda: _asking(ground, place.task_id))
    return LocalEnvironment(place.root, ground.home, walls, place.variables, pump)
