"""Make what code is run by: where it runs, and what is kept before it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hermes.app.command_work import KeptWorkspace, keep
from hermes.app.developing import sites
from hermes.config.settings import Settings
from hermes.environments.programs import Caller
from hermes.runtime.bridge import loop_thread
from hermes.runtime.context import Services, ToolContext
from hermes.services.repl import Repls
from hermes.services.running import Keep, Runner
from hermes.services.terminal import Job, Terminal


def repls(services: Services, settings: Settings) -> Repls:
    """Return the sessions of a runtime."""
    return Repls(sites(services, settings), _variables(services), loop_thread().submit)


def runner(services: Services, settings: Settings, home: str) -> Runner:
    """Return what runs pieces of code."""
    keeping = _keeping(services, settings, home)
    return Runner(sites(services, settings), _variables(services), keeping)


def _variables(services: Services) -> Callable[[Caller], Mapping[str, str]]:
    """Return what gives the variables that a task has got since it has a place to run."""

    def changed(caller: Caller) -> Mapping[str, str]:
        assert isinstance(caller, ToolContext)
        terminal = services.get(Terminal)
        return terminal.changed_variables(caller.task_id, caller.environment())

    return changed


def _keeping(services: Services, settings: Settings, home: str) -> Keep:
    """Keep workspaces before code as before commands."""
    keeping = keep(services, settings, home)

    async def kept(ctx: ToolContext, code: str) -> KeptWorkspace | None:
        task = ctx.task
        job = Job(task.id, ctx.call_id, task.root, str(task.cwd), code, deed=ctx.deed)
        found = await keeping(job)
        return found if isinstance(found, KeptWorkspace) else None

    return kept
