"""Every backend that commands can run in: one row each, and those that packages bring."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.base.text import did_you_mean
from hermes.config.environment import snapshot
from hermes.runtime.boundary import Boundary

if TYPE_CHECKING:
    from hermes.config.settings import Settings
    from hermes.environments.contract import Environment, Refused
    from hermes.runtime.context import Services

ENTRY_POINTS = "hermes.environments"
"""The group of entry points by which an installed package offers a ``Backend``."""


_SANDBOX = "apt install bubblewrap"


class Ground(NamedTuple):
    """What environments are made from."""

    services: Services
    settings: Settings
    home: str


class Place(NamedTuple):
    """The task that an environment is made for."""

    task_id: str = ""
    root: str = ""
    """The folder of this machine that the task started in."""
    variables: Mapping[str, str] = {}
    report: Callable[[str], None] = lambda _: None
    """Told what takes a while, such as the pull of an image."""
    home: str = "/"
    """The home of the person on this machine."""
    may_reach: bool = True
    """Whether the profile in force lets the programs of the task reach the network."""
    is_trial: bool = False
    """The environment is only tried: it starts in an empty folder of its own."""


class Backend(NamedTuple):
    """A kind of environment, by its name in ``terminal.environment``."""

    name: str
    about: str
    make: Callable[[Ground, Place], Environment]
    """Gives the environment of a task, not started."""
    lacks: Callable[[Settings], Refused | None]
    """Gives what is missing here before it can be used, and the command that mends it."""


def _local(ground: Ground, place: Place) -> Environment:
    made: Environment = load("hermes.app.terminals").local_environment(ground, place)
    return made


def _local_lacks(settings: Settings) -> Refused | None:
    del settings
    backend = load("hermes.environments.sandbox.choose").choose()
    if backend.confines:
        return None
    refused: type[Refused] = load("hermes.environments.contract").Refused
    return refused(f"commands would run without a sandbox: {backend.reason}", _SANDBOX)


def _elsewhere(name: str, about: str, options: Callable[[Settings, Place], Any]) -> Backend:
    """Return the row of ``environments/<name>.py``, whose options the settings give."""

    def make(ground: Ground, place: Place) -> Environment:
        module = load(f"hermes.environments.{name}")
        may_reach = load("hermes.app.reaching").is_open(ground.services.get(Boundary))
        place = place._replace(home=ground.home, may_reach=may_reach)
        wanted = options(ground.settings, place)
        made: Environment = getattr(module, f"{name}_environment")(wanted, place.report)
        return made

    def lacks(settings: Settings) -> Refused | None:
        module = load(f"hermes.environments.{name}")
        try:
            place = Place(home=snapshot().get("HOME", "/"))
            found: Refused | None = module.lacks(options(settings, place))
        except load("hermes.environments.contract").Refused as error:
            return error  # type: ignore[no-any-return]  # loaded by name
        return found

    return Backend(name, about, make, lacks)


class _Shown(NamedTuple):
    """What a container is shown of this machine."""

    workspace: str
    mounts: tuple[Any, ...]


def _shown(settings: Settings, place: Place, lines: Iterable[str], *, has_root: bool) -> _Shown:
    lending, state = load("hermes.app.lending"), settings.folder
    root = lending.workspace(place.root, place.home, state) if has_root else ""
    return _Shown(root, lending.lent(lines, place.home, state))


def _network(place: Place, *, is_wanted: bool) -> bool:
    """Say whether a container reaches the network: both the settings and the profile say so."""
    if is_wanted and not place.may_reach:
        place.report("the permission profile keeps the network of the container off")
    return is_wanted and place.may_reach


def _docker(settings: Settings, place: Place) -> Any:
    chosen = settings.docker
    shown = _shown(settings, place, chosen.mounts, has_root=chosen.mount_workspace)
    return load("hermes.environments.docker").DockerOptions(
        image=chosen.image or "",
        engine=chosen.engine or "",
        task=place.task_id,
        workspace=shown.workspace,
        mounts=shown.mounts,
        network=_network(place, is_wanted=chosen.network),
        memory_megabytes=chosen.memory_megabytes,
        cpus=float(chosen.cpus),
        processes=chosen.processes,
        read_only=chosen.read_only,
        user=chosen.user or "",
    )


def _ssh(settings: Settings, place: Place) -> Any:
    chosen = settings.ssh
    return load("hermes.environments.ssh").SshOptions(
        host=chosen.host or "",
        user=chosen.user or "",
        port=chosen.port,
        identity=chosen.identity or "",
        config=chosen.config or "",
        root=chosen.root or "",
        is_trial=place.is_trial,
    )


def _singularity(settings: Settings, place: Place) -> Any:
    chosen = settings.singularity
    shown = _shown(settings, place, chosen.binds, has_root=chosen.mount_workspace)
    return load("hermes.environments.singularity").SingularityOptions(
        image=chosen.image or "",
        program=chosen.program or "",
        workspace=shown.workspace,
        mounts=shown.mounts,
        overlay=chosen.overlay or "",
        scratch=chosen.scratch or "",
        network=_network(place, is_wanted=chosen.network),
        fakeroot=chosen.fakeroot,
        memory_megabytes=chosen.memory_megabytes,
        processes=chosen.processes,
    )


def _daytona(settings: Settings, place: Place) -> Any:
    chosen = settings.daytona
    return load("hermes.environments.daytona").DaytonaOptions(
        task=place.task_id,
        snapshot=chosen.snapshot or "",
        image=chosen.image or "",
        root=chosen.root,
        network=_network(place, is_wanted=chosen.network),
        cpus=chosen.cpus,
        memory_gigabytes=chosen.memory_gigabytes,
        disk_gigabytes=chosen.disk_gigabytes,
        idle_minutes=chosen.idle_minutes,
        keep_hours=chosen.keep_hours,
        target=chosen.target or "",
    )


def _modal(settings: Settings, place: Place) -> Any:
    chosen = settings.modal
    return load("hermes.environments.modal").ModalOptions(
        task=place.task_id,
        image=chosen.image or "",
        root=chosen.root,
        network=_network(place, is_wanted=chosen.network),
        millicpus=chosen.millicpus,
        memory_megabytes=chosen.memory_megabytes,
        idle_minutes=chosen.idle_minutes,
        lifetime_hours=chosen.lifetime_hours,
        keep_hours=chosen.keep_hours,
        region=chosen.region or "",
        app=chosen.app,
    )


_ROWS = (
    Backend("local", "This machine, in the sandbox of the task.", _local, _local_lacks),
    _elsewhere("docker", "A container of each task's own, by docker or podman.", _docker),
    _elsewhere("ssh", "Another machine, by your own OpenSSH client.", _ssh),
    _elsewhere(
        "singularity", "An instance of apptainer or singularity, as clusters have it.", _singularity
    ),
    _elsewhere("modal", "A sandbox of Modal, which costs while it runs.", _modal),
    _elsewhere("daytona", "A sandbox of Daytona, which costs while it runs.", _daytona),
)
SHIPPED: Mapping[str, Backend] = {row.name: row for row in _ROWS}


def find(name: str) -> Backend:
    """Return a backend by its name.

    Raises:
        ConfigError: there is none; the nearest name is in the hint.
    """
    found = SHIPPED.get(name) or _brought().get(name)
    if found is None:
        known = [each.name for each in every()]
        hint = did_you_mean(name, known) or f"There is {', '.join(known)}."
        raise ConfigError(
            f"there is no environment {name!r}", key="terminal.environment", hint=hint
        )
    return found


def every() -> list[Backend]:
    """Return all backends, those that ship first."""
    return [*SHIPPED.values(), *_brought().values()]


@functools.cache
def _brought() -> Mapping[str, Backend]:
    """Return the backends of installed packages; a name that ships is not theirs to take."""
    points = load("importlib.metadata").entry_points(group=ENTRY_POINTS)
    rows = (_brought_by(point) for point in points if point.name not in SHIPPED)
    return {row.name: row for row in rows}


def _brought_by(point: Any) -> Backend:
    """Return the row of an entry point; one that cannot be loaded is there, and lacks that."""
    try:
        row = point.load()
        if not isinstance(row, Backend):
            raise TypeError(f"{point.value} is no Backend")
    except Exception as error:  # noqa: BLE001 - a package that breaks must not hide the others
        return _broken(point.name, f"{type(error).__name__}: {error}")
    return row._replace(name=point.name)


def _broken(name: str, why: str) -> Backend:
    refused: type[Refused] = load("hermes.environments.contract").Refused
    told = refused(f"it cannot be loaded: {why}", "Mend or remove the package that brings it.")

    def make(*_: object) -> Environment:
        raise told

    return Backend(name, "Brought by a package.", make, lambda _: told)
