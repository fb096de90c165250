"""Make what the terminal works with: environments by the settings, and the background."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import NamedTuple

from hermes.app.boundaries import Boxes
from hermes.app.task_walls import TaskWalls
from hermes.base.optional import load
from hermes.config.settings import Settings
from hermes.environments.contract import Environment
from hermes.environments.inside.pump import Pump
from hermes.environments.local import LocalEnvironment
from hermes.environments.processes import Processes
from hermes.runtime.boundary import Boundary
from hermes.runtime.bridge import loop_thread
from hermes.runtime.context import Services
from hermes.services.terminal import Terminal


class Ground(NamedTuple):
    """What environments are made from."""

    services: Services
    settings: Settings
    home: str


def terminal(services: Services, settings: Settings, home: str) -> Terminal:
    """Return the terminal of a runtime."""
    ground = Ground(services, settings, home)
    services.get(Pump)  # made before, so that it is closed after
    make = functools.partial(environment, ground, settings.terminal.environment)
    processes = Processes(settings.home / "processes")
    return Terminal(make, processes, settings.home / "results", loop_thread().submit)


def environment(
    ground: Ground, name: str, task_id: str, root: str, variables: Mapping[str, str]
) -> Environment:
    """Return the environment of a task; it is not started yet."""
    if name == "docker":
        return _docker(ground.settings, task_id, root)
    if name == "ssh":
        return _ssh(ground.settings)
    boxes: Boxes = ground.services.get(Boundary)  # type: ignore[assignment]  # ours
    pump = ground.services.get(Pump)
    walls = TaskWalls(lambda: boxes, root, pump)
    return LocalEnvironment(root, ground.home, walls, variables, pump)


def _docker(settings: Settings, task_id: str, root: str) -> Environment:
    docker, chosen = load("hermes.environments.docker"), settings.docker
    options = docker.DockerOptions(
        image=chosen.image or "",
        engine=chosen.engine or "",
        task=task_id,
        workspace=root if chosen.mount_workspace else "",
        network=chosen.network,
        memory_megabytes=chosen.memory_megabytes,
        cpus=float(chosen.cpus),
        processes=chosen.processes,
        read_only=chosen.read_only,
        user=chosen.user or "",
    )
    made: Environment = docker.docker_environment(options)
    return made


def _ssh(settings: Settings) -> Environment:
    ssh, chosen = load("hermes.environments.ssh"), settings.ssh
    options = ssh.SshOptions(
        host=chosen.host or "",
        user=chosen.user or "",
        port=chosen.port,
        identity=chosen.identity or "",
        config=chosen.config or "",
        root=chosen.root or "",
    )
    made: Environment = ssh.ssh_environment(options)
    return made
