"""Make what the file tools work with: the files of the place where a task's commands run."""

from __future__ import annotations

from pathlib import Path

from hermes.base.errors import Unavailable, WouldWait
from hermes.base.mounts import is_below
from hermes.config.settings import Settings
from hermes.environments.contract import Refused
from hermes.runtime.bridge import loop_thread
from hermes.runtime.context import Services, ToolContext
from hermes.services.checkpoints import Checkpoints, Limits
from hermes.services.files import Caller, Files
from hermes.services.files.disk import Check, Disk, Verb
from hermes.services.files.leftovers import Leftovers
from hermes.services.files.local_disk import LocalDisk
from hermes.services.files.remote_disk import RemoteDisk
from hermes.services.terminal import Job, Terminal

_LOCAL = "local"
_START_SECONDS = 600.0


def files(services: Services, settings: Settings, home: str) -> Files:
    """Return the files of a runtime."""

    def disk(caller: Caller, check: Check) -> Disk:
        assert isinstance(caller, ToolContext)
        if (caller.task.environment or settings.terminal.environment) == _LOCAL:
            return LocalDisk(str(caller.cwd), home, check)
        if not caller.may_wait:
            raise WouldWait("the files are elsewhere")
        return _remote(services.get(Terminal), caller, check)

    keeper = services.get(Checkpoints) if settings.checkpoints.enabled else None
    return Files(disk, keeper, leftovers=Leftovers(settings.home / "unfinished"))


def _remote(terminal: Terminal, ctx: ToolContext, check: Check) -> Disk:
    """Return the files of the environment of a task, which is started if need be."""
    task = ctx.task
    environment = terminal.environment(
        Job(
            task_id=task.id,
            call_id=ctx.call_id,
            root=task.root,
            cwd=str(task.cwd),
            command="",
            variables=ctx.environment(),
            progress=ctx.progress,
            environment=task.environment,
        )
    )
    try:
        loop_thread().submit(environment.start()).result(_START_SECONDS)
    except Refused as error:
        raise Unavailable(error.message, hint=error.hint or None) from error
    root = environment.root
    if task.root != root:  # the task has not been there yet
        task.root, task.cwd = root, Path(root)

    def judged(verb: Verb, path: str, *, is_sole: bool = False) -> None:
        """Leave the folder of the task there to it; what lies elsewhere is judged."""
        if not is_below(path, root):
            check(verb, path, is_sole=is_sole)

    return RemoteDisk(environment, str(task.cwd), judged, loop_thread().submit)


def checkpoints(settings: Settings) -> Checkpoints:
    """Return the checkpoints of a home; what a crash cut short is finished first."""
    chosen = settings.checkpoints
    limits = Limits(
        chosen.max_total_megabytes << 20, chosen.keep_days * 86_400, chosen.max_file_megabytes << 20
    )
    made = Checkpoints(settings.home / "checkpoints", limits)
    made.store.recover()
    return made
