"""Make what checks, tests and debuggers work with: the place of a task, and its files."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from hermes.app.boundaries import Boxes
from hermes.base.errors import Unavailable
from hermes.config.settings import Settings
from hermes.environments.contract import Refused
from hermes.environments.programs import Caller, OpenSite, Site
from hermes.policy.permissions import Profile
from hermes.runtime.boundary import Boundary
from hermes.runtime.bridge import aside, loop_thread, on_own_loop
from hermes.runtime.context import Services, ToolContext
from hermes.services.checking import Checks, Held, Rewrite
from hermes.services.debugging import Debugging
from hermes.services.files import Files
from hermes.services.files.changing import Step, apply, said
from hermes.services.terminal import Job, Terminal
from hermes.services.testing import Tests

_LOCAL = "local"
_RUNNING = ("code:execute",)


def sites(services: Services, settings: Settings) -> OpenSite:
    """Return what opens the place where the programs of a call run: as its commands do."""

    @contextlib.asynccontextmanager
    async def open_site(caller: Caller) -> AsyncIterator[Site]:
        assert isinstance(caller, ToolContext)
        terminal = services.get(Terminal)
        async with terminal.using(caller.task_id):
            yield await _site(terminal, caller, services, settings)

    return open_site


async def _site(
    terminal: Terminal, ctx: ToolContext, services: Services, settings: Settings
) -> Site:
    task = ctx.task
    job = Job(
        task_id=task.id,
        call_id=ctx.call_id,
        root=task.root,
        cwd=str(task.cwd),
        command="",
        variables=ctx.environment(),
        progress=ctx.progress,
        environment=task.environment,
    )
    environment = terminal.environment(job)
    try:
        await environment.start()
    except Refused as error:
        raise Unavailable(error.message, hint=error.hint or None) from error
    is_local = (task.environment or settings.terminal.environment) == _LOCAL
    if not is_local and task.root != environment.root:  # the task has not been there yet
        task.root, task.cwd = environment.root, Path(environment.root)
    boxes: Boxes = services.get(Boundary)  # type: ignore[assignment]  # ours
    return Site(
        environment,
        task.root,
        str(task.cwd),
        str(Path(sys.executable).parent) if is_local else "",
        may_run(boxes.profile),
    )


def may_run(profile: Profile) -> bool:
    """Say whether every level of a profile lets code be run without a question."""
    return all(
        level._replace(restrictions=(), narrows=(), tools=()).judge(_RUNNING).decision == "allow"
        for level in profile.levels()
    )


class TaskShelf:
    """The files of one call, by the file tools' own way: judged, and kept before they change."""

    def __init__(self, files: Files, ctx: ToolContext) -> None:
        self._files, self._ctx = files, ctx

    async def find(self, path: str) -> str:
        """Return where a path leads."""
        return await aside(lambda: self._find(path))

    def _find(self, path: str) -> str:
        try:
            return self._files.at(self._ctx).disk.find(path).path
        except OSError as error:
            raise said(error, path) from error

    async def read(self, path: str) -> Held:
        """Return a whole file."""
        return await aside(lambda: self._read(path))

    def _read(self, path: str) -> Held:
        try:
            found, data = self._files.at(self._ctx).disk.read(path)
        except OSError as error:
            raise said(error, path) from error
        return Held(found.path, data, found.version)

    async def replace(self, rewrites: Sequence[Rewrite]) -> None:
        """Change files: all of them, or none."""
        await aside(lambda: self._replace(rewrites))

    def _replace(self, rewrites: Sequence[Rewrite]) -> None:
        work = self._files.at(self._ctx)
        steps = [
            Step(each.held.path, each.held.data, each.data, each.held.version) for each in rewrites
        ]
        try:
            with work.turn([step.path for step in steps]):
                apply(work, steps)
        except OSError as error:
            raise said(error, str(error.filename or steps[0].path)) from error


def checks(services: Services, settings: Settings) -> Checks:
    """Return what linters and formatters are run by."""
    return Checks(sites(services, settings), shelves(services))


def tests(services: Services, settings: Settings) -> Tests:
    """Return what tests are run by."""
    return Tests(sites(services, settings), shelves(services))


def debugging(services: Services, settings: Settings) -> Debugging:
    """Return what programs are debugged by: its sessions live on our own loop."""
    services.get(Terminal)  # made before, so that it is closed after
    return Debugging(
        sites(services, settings), shelves(services), on_own_loop, loop_thread().submit
    )


def shelves(services: Services) -> Callable[[Caller], TaskShelf]:
    """Return what gives a call its files."""

    def shelf(caller: Caller) -> TaskShelf:
        assert isinstance(caller, ToolContext)
        return TaskShelf(services.get(Files), caller)

    return shelf
