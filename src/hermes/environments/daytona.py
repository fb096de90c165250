"""A sandbox of Daytona: one per task, stopped when idle, deleted with the task."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hermes.base.optional import install_command
from hermes.config.environment import live
from hermes.environments.cloud import CloudChannel, Provider
from hermes.environments.contract import Refused
from hermes.environments.docker import UNICODE
from hermes.environments.remote import RemoteEnvironment


@dataclass(frozen=True, slots=True)
class DaytonaOptions:
    """What the sandbox of a task is made of, what it may, and what it may cost."""

    task: str = ""
    snapshot: str = ""
    """The snapshot it is made from; without one, Daytona's own."""
    image: str = ""
    """An image in place of a snapshot; the first use builds it."""
    root: str = "workspace"
    """The folder that the task starts in, made below the home there."""
    network: bool = False
    cpus: int = 1
    memory_gigabytes: int = 1
    disk_gigabytes: int = 3
    """Sizes count for an image; a snapshot has its own."""
    idle_minutes: float = 15
    """When it is stopped, its files kept; 0 never stops it."""
    keep_hours: float = 168
    """When a sandbox that nobody started again is deleted by Daytona."""
    target: str = ""
    """The region; without one, the organisation's own."""
    variables: Mapping[str, str] = field(default_factory=dict)


def lacks(
    options: DaytonaOptions | None = None, environ: Mapping[str, str] | None = None
) -> Refused | None:
    """Say without asking anybody what is missing for Daytona here."""
    del options  # none of them changes the answer
    environ = live() if environ is None else environ
    if importlib.util.find_spec("daytona") is None:
        hint = f"Install it with: {install_command('daytona')}"
        return Refused("the Python package 'daytona' is not installed", hint)
    if environ.get("DAYTONA_API_KEY"):
        return None
    if not environ.get("DAYTONA_JWT_TOKEN"):
        hint = "Make one at https://app.daytona.io/dashboard/keys and set DAYTONA_API_KEY."
        return Refused("there is no API key for Daytona", hint)
    if not environ.get("DAYTONA_ORGANIZATION_ID"):
        hint = "Set DAYTONA_ORGANIZATION_ID, or use an API key (DAYTONA_API_KEY)."
        return Refused("DAYTONA_JWT_TOKEN needs an organisation", hint)
    return None


DAYTONA = Provider("daytona", "Daytona", "hermes.environments.daytona_service", lacks)


def daytona_environment(
    options: DaytonaOptions, report: Callable[[str], None] = lambda _: None
) -> RemoteEnvironment:
    """Return an environment in a sandbox; ``report`` is told how the build of an image goes."""
    return RemoteEnvironment(
        CloudChannel(DAYTONA, options, report),
        options.root,
        makes_root=True,
        variables={**UNICODE, **options.variables},
    )
