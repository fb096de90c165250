"""Make what scripts run by: their tools, and an interpreter where the task's commands run."""

from __future__ import annotations

import functools
import os
import socket
from collections.abc import Awaitable, Mapping
from importlib.util import find_spec
from typing import Any

from hermes.app.boundaries import Boxes
from hermes.app.calling import Ground
from hermes.app.task_walls import TaskWalls
from hermes.base.errors import Unavailable
from hermes.base.optional import load
from hermes.config.settings import Settings
from hermes.environments.contract import NORMAL, Command, Environment, Power, Refused
from hermes.environments.inside.driver import quoted
from hermes.environments.inside.pump import Pump
from hermes.environments.local import LocalEnvironment
from hermes.environments.local_process import Ends, LocalProcess
from hermes.environments.sandbox import layout
from hermes.runtime.boundary import Boundary
from hermes.runtime.bridge import ON_LOOP, aside, loop_thread
from hermes.runtime.context import ToolContext
from hermes.runtime.dispatch import Dispatcher
from hermes.runtime.offer import Catalogue
from hermes.runtime.results import Answer
from hermes.services.scripting import Scripting
from hermes.services.scripting.limits import MEGABYTE, Limits
from hermes.services.scripting.lines import Line, PairLine, StreamLine
from hermes.services.scripting.printed import Printed
from hermes.services.scripting.pythons import choose
from hermes.services.scripting.runs import Script
from hermes.services.scripting.scope import Scope
from hermes.services.scripting.scripts import Quick, Scripts, Site, interpreter
from hermes.services.terminal import Job, Terminal, power

_ELSEWHERE = (
    "for p in .venv/bin/python venv/bin/python; do [ -x $p ] && exec {0}; done; p=python3; exec {0}"
)


class TaskScripts(Scripting):
    """Run the scripts of tasks where their commands run."""

    def __init__(self, ground: Ground, dispatcher: Dispatcher) -> None:
        self._services, self._settings = ground.services, ground.settings
        self._dispatcher = dispatcher
        self._terminal = ground.services.get(Terminal)  # made before, so that it is closed after
        self._scripts = Scripts(loop_thread().submit, functools.partial(_quick, ground.settings))

    async def run(self, caller: ToolContext, code: str, seconds: float | None) -> dict[str, Any]:
        """Run a script for a call; the calls it makes are calls of the same task."""
        limits = limits_of(self._settings, seconds)
        offered = self._services.get(Catalogue).entries()
        tools = self._services.get(Scope).of(offered, caller.tool)
        variables = caller.environment()
        job = _job(caller, variables)
        environment = self._terminal.environment(job)
        dispatch = functools.partial(self._call, caller)
        async with self._terminal.using(caller.task_id):
            if isinstance(environment, LocalEnvironment):
                cwd = _first_folder(str(caller.cwd), caller.task.root)
                script = Script(code, tools, dispatch, limits, cwd, variables, caller.task.root)
                site = await self._here(environment, job, limits)
            else:
                script = Script(code, tools, dispatch, limits, "")
                start = functools.partial(start_elsewhere, environment, limits)
                site = Site(caller.task_id, None, start)
            return await self._scripts.run(script, site)

    def _call(
        self, caller: ToolContext, name: str, arguments: Any, number: int
    ) -> Answer | Awaitable[Answer]:
        """Take one call of a script the way of every other call, as one of its task."""
        ctx = ToolContext(caller.task, f"{caller.call_id}.{number}", caller.services)
        ctx.door, ctx.user_task = caller.tool, caller.user_task
        return self._dispatcher.call(name, arguments, ctx, ON_LOOP)

    async def _here(self, environment: LocalEnvironment, job: Job, limits: Limits) -> Site:
        boxes: Boxes = self._services.get(Boundary)  # type: ignore[assignment]  # ours
        if not boxes.is_ready:  # a backend is tried with a real program, which takes a while
            await aside(boxes.sandbox)
        pump = self._services.get(Pump)
        walls = TaskWalls(lambda: boxes, job.root, pump)
        python = choose(job.root, job.cwd, job.variables)
        more = walls.beyond(job.power)
        box = boxes.box(job.root)
        key = None if more != NORMAL else (python, box, layout.stamp(box))
        launch = _Launch(environment, walls, pump, job, limits)
        return Site(job.task_id, key, functools.partial(launch.start, python, more))

    def forget(self, task_id: str) -> None:
        """End what is ready for a task."""
        self._scripts.forget(task_id)

    def close(self) -> None:
        """End all that is ready."""
        self._scripts.close()


class _Launch:
    """Starts interpreters on this machine, in the box of a task."""

    def __init__(
        self,
        environment: LocalEnvironment,
        walls: TaskWalls,
        pump: Pump,
        job: Job,
        limits: Limits,
    ) -> None:
        self._environment, self._walls, self._pump = environment, walls, pump
        self._job, self._limits = job, limits

    async def start(self, python: str, more: Power) -> Line:
        """Start one on a socket that nobody else has.

        Raises:
            Unavailable: it cannot be started.
        """
        job = self._job
        scratch = self._environment.folders()[1]
        ours, theirs = socket.socketpair()
        output, errors = os.pipe(), os.pipe()
        try:
            inside = await self._walls.start(
                interpreter(python, "socket"),
                (theirs.fileno(), output[1], errors[1]),
                env=job.variables,
                cwd=_first_folder(job.root),
                own=(scratch, scratch),
                power=more,
            )
        except BaseException as error:
            ours.close()
            os.close(output[0])
            os.close(errors[0])
            if isinstance(error, OSError):
                words = f"{python} cannot be started: {error.strerror or error}"
                raise Unavailable(words) from error
            raise
        finally:
            theirs.close()
            os.close(output[1])
            os.close(errors[1])
        printed = _printed(self._limits)
        for fd in (output[0], errors[0]):
            os.set_blocking(fd, False)
        ends = Ends((0, 0, 0), -1, ((0, output[0]), (1, errors[0])), False)
        process = LocalProcess(inside, ends, printed, self._pump)
        return PairLine(ours, process, printed, lambda: process.explain(printed.last(1), job.cwd))


def _quick(settings: Settings) -> Quick | None:
    """Return what runs scripts that only put calls together, where it is installed."""
    if settings.code.backend != "auto" or find_spec("pydantic_monty") is None:
        return None
    made: Quick = load("hermes.services.scripting.monty", extra="code").Monty()
    return made


async def start_elsewhere(environment: Environment, limits: Limits) -> Line:
    """Start an interpreter in another environment, on its input and output.

    Raises:
        Unavailable: it cannot be started.
    """
    line = StreamLine(_printed(limits))
    words = " ".join(map(quoted, interpreter("", "pipes")[1:]))
    try:
        line.process = await environment.spawn(Command(_ELSEWHERE.format(f"$p {words}")), line)
    except Refused as error:
        raise Unavailable(error.message, hint=error.hint or None) from error
    return line


def limits_of(settings: Settings, seconds: float | None) -> Limits:
    """Return what the settings give a script; a call may want less time."""
    code = settings.code
    longest = code.timeout_seconds or float("inf")
    return Limits(
        min(seconds or longest, longest),
        code.max_calls,
        code.stdout_bytes,
        code.stderr_bytes,
        code.printed_megabytes * MEGABYTE,
        code.memory_megabytes * MEGABYTE,
        code.processes,
        code.disk_megabytes * MEGABYTE,
    )


def _job(caller: ToolContext, variables: Mapping[str, str]) -> Job:
    return Job(
        task_id=caller.task_id,
        call_id=caller.call_id,
        root=caller.task.root,
        cwd=str(caller.cwd),
        command="",
        variables=variables,
        power=power(caller.deed, "sandbox", ()),
        progress=caller.progress,
        environment=caller.task.environment,
        deed=caller.deed,
    )


def _printed(limits: Limits) -> Printed:
    return Printed(limits.stdout_bytes, limits.stderr_bytes, limits.printed_bytes)


def _first_folder(*paths: str) -> str:
    return next(filter(os.path.isdir, paths), "/")
