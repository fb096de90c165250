"""Keep the workspace before commands that could lose something of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from hermes.base.errors import HermesError
from hermes.config.settings import Settings
from hermes.policy.losses import may_lose
from hermes.runtime.bridge import aside
from hermes.services.checkpoints import Checkpoints
from hermes.services.checkpoints.commands import Running
from hermes.services.terminal import Job, Keep, keep_nothing

if TYPE_CHECKING:
    from hermes.runtime.context import Services

_log = logging.getLogger(__name__)


class KeptWorkspace:
    """A workspace that was kept before a command, or why it was not."""

    def __init__(self, keeper: Checkpoints, running: Running | None, warning: str | None) -> None:
        self._keeper, self._running, self.warning = keeper, running, warning

    async def end(self) -> None:
        """Find out what the command changed."""
        if self._running is not None:
            await aside(self._end)

    def _end(self) -> None:
        assert self._running is not None
        try:
            self._keeper.commands.after(self._running)
            self._keeper.tidy()
        except (OSError, HermesError) as error:  # the command has run; undo compares with what is
            _log.warning("what a command changed could not be noted: %s", error)


def keep(services: Services, settings: Settings, home: str) -> Keep:
    """Return what keeps workspaces, by the settings."""
    chosen = settings.checkpoints
    is_here = settings.terminal.environment == "local" or (
        settings.terminal.environment == "docker" and settings.docker.mount_workspace
    )
    if not chosen.enabled or chosen.commands == "off" or not is_here:
        return keep_nothing

    async def keeping(job: Job) -> KeptWorkspace | None:
        if chosen.commands != "all" and not may_lose(job.deed, job.root):
            return None
        if job.root in ("/", home.rstrip("/")):
            return None
        keeper = services.get(Checkpoints)
        return await aside(lambda: _kept(keeper, job))

    return keeping


def _kept(keeper: Checkpoints, job: Job) -> KeptWorkspace:
    """Keep a workspace; when that fails the command may be what makes room, so it runs."""
    try:
        running = keeper.commands.before(job.task_id, job.call_id, job.root, job.command)
        return KeptWorkspace(keeper, running, None)
    except (OSError, HermesError) as error:
        return KeptWorkspace(keeper, None, f"This cannot be undone: nothing was kept ({error}).")
