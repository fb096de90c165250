"""A container of docker or podman: one per task, shut in, removed with the task."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hermes.environments.contract import Refused
from hermes.environments.engine import Engine, choose, find, owner
from hermes.environments.link import Piped, Program
from hermes.environments.mounts import Mount
from hermes.environments.remote import RemoteEnvironment

_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID")
_IDLE = "while :; do sleep 3600; done"
_CANNOT_RUN = (126, 127)
_GOING = ("removing", "dead")
UNICODE = {"LANG": "C.UTF-8"}
"""An image seldom names a language, and then no letter beyond ASCII would be one."""


@dataclass(frozen=True, slots=True)
class DockerOptions:
    """What the container of a task is made of, and what it may."""

    image: str
    engine: str = ""
    """``docker`` or ``podman``; without a word, the first that works."""
    task: str = ""
    root: str = "/workspace"
    workspace: str = ""
    """A folder of this machine that is the root; without one, the root is the container's own."""
    mounts: tuple[Mount, ...] = ()
    network: bool = False
    memory_megabytes: int = 2048
    cpus: float = 2.0
    processes: int = 512
    temporary_megabytes: int = 512
    """The size of /tmp, which counts as memory."""
    capabilities: tuple[str, ...] = _CAPABILITIES
    """What is left of the rights of root; all others are dropped."""
    read_only: bool = False
    """Nothing but the root folder, /tmp and what is mounted can be written."""
    user: str = ""
    """``1000:1000``, ``host`` for the user of this process; without one, the image's own."""
    variables: Mapping[str, str] = field(default_factory=dict)


class DockerChannel:
    """Start programs in the container of a task, which is made when first needed."""

    name = "docker"

    def __init__(self, options: DockerOptions, report: Callable[[str], None]) -> None:
        self._options, self._report = options, report
        self._engine: Engine | None = None
        self._container = ""
        self.where = f"the container of {options.image}"

    async def start(self, argv: Sequence[str]) -> Program:
        """Start a program in the container; one that has stopped is started again."""
        engine = await self._ready()
        return Piped([engine.name, "exec", "-i", self._container, *argv])

    async def _ready(self) -> Engine:
        if self._engine is None:
            if not self._options.image:
                raise _no_image()
            engine = await choose(self._options.engine)
            await engine.reap()
            await engine.have(self._options.image, self._report)
            self._engine = engine
        if not self._container:
            await self._make(self._engine)
        else:
            await self._wake(self._engine)
        return self._engine

    async def _make(self, engine: Engine) -> None:
        name = f"hermes-{uuid.uuid4().hex[:12]}"
        making = asyncio.ensure_future(
            engine.run("run", *arguments(self._options, name, engine.name))
        )
        try:
            said = await asyncio.shield(making)
        except asyncio.CancelledError:  # the client goes on, and what it makes must go again
            await making
            await engine.remove(name)
            raise
        if said.code != 0:
            await engine.remove(name)
            raise self._cannot_run(engine, said.code, said.errors)
        self._container = name

    def _cannot_run(self, engine: Engine, code: int, words: str) -> Refused:
        if code in _CANNOT_RUN and "/bin/sh" in words:
            hint = "Use an image with a shell, bash and Python 3.8 or newer."
            return Refused(f"the image {self._options.image} has no /bin/sh", hint)
        return engine.refusal(words)

    async def _wake(self, engine: Engine) -> None:
        """Have a container that was made before run; its files are as they were."""
        name = self._container
        said = await engine.run("container", "inspect", "--format", "{{.State.Status}}", name)
        if said.code != 0 or said.output in _GOING:
            self._container = ""
            raise Refused(
                "the container was removed by somebody, and its files with it",
                "The next command starts in a new one.",
            )
        if said.output != "running":
            await engine.must("start", name)

    def refusal(self, code: int | None, words: str) -> Refused | None:
        """Return what an end of the client at the very start means."""
        if code in _CANNOT_RUN or "executable file not found" in words:
            hint = "Use an image with bash and Python 3.8 or newer."
            return Refused(f"python3 is missing in the image {self._options.image}", hint)
        if self._engine is not None and "rror" in words:
            return self._engine.refusal(words)
        return None

    async def snapshot(self) -> str:
        """Keep the container's own files as an image, and return its name."""
        engine = await self._ready()
        image = f"localhost/hermes-snapshot:{uuid.uuid4().hex[:12]}"
        await engine.must("commit", self._container, image)
        return image

    async def rest(self) -> str:
        """Stop the container, unless files that are to last are in its memory."""
        options, engine = self._options, self._engine
        if engine is None or not self._container or (options.read_only and not options.workspace):
            return ""
        await engine.run("stop", "--time", "0", self._container)
        return "The container was stopped meanwhile: what was in its /tmp is gone."

    async def close(self) -> None:
        """Remove the container."""
        name, self._container = self._container, ""
        if name and self._engine is not None:
            await self._engine.remove(name)


def arguments(options: DockerOptions, name: str, engine: str) -> list[str]:
    """Return the words after ``run`` that make a container as the options want it."""
    words = [
        *("--detach", "--init", "--name", name, "--hostname", "hermes", "--pull", "never"),
        *("--label", "hermes=1", "--label", f"hermes.owner={owner()}"),
        *("--label", f"hermes.task={options.task}"),
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *(f"--cap-add={each}" for each in options.capabilities),
        *("--pids-limit", str(options.processes), "--cpus", str(options.cpus)),
        *("--memory", f"{options.memory_megabytes}m"),
        *("--memory-swap", f"{options.memory_megabytes}m"),
        *("--tmpfs", f"/tmp:{_temporary(options)}"),
        *_user(options.user, engine),
        *_mounts(options),
    ]
    if not options.network:
        words += ["--network", "none"]
    if options.read_only:
        words.append("--read-only")
        if not options.workspace:
            words += ["--tmpfs", f"{options.root}:{_temporary(options)}"]
    return [*words, "--entrypoint", "/bin/sh", options.image, "-c", _IDLE]


def _temporary(options: DockerOptions) -> str:
    return f"rw,exec,nosuid,nodev,mode=1777,size={options.temporary_megabytes}m"


def _user(user: str, engine: str) -> list[str]:
    if user != "host":
        return ["--user", user] if user else []
    if engine == "podman" and os.geteuid() != 0:
        return ["--userns", "keep-id"]
    return ["--user", f"{os.getuid()}:{os.getgid()}"]


def _mounts(options: DockerOptions) -> list[str]:
    mounts = list(options.mounts)
    if options.workspace:
        mounts.insert(0, Mount(options.workspace, options.root, writable=True))
    words = []
    for mount in mounts:
        if "," in mount.source + mount.target:
            raise Refused(f"a mount cannot have a comma: {mount.source}", "Name another folder.")
        if not os.path.exists(mount.source):  # noqa: PTH110 - a text; some engines would make it
            raise Refused(f"there is no folder {mount.source} to mount", "Make it first.")
        ending = "" if mount.writable else ",readonly"
        words += ["--mount", f"type=bind,source={mount.source},target={mount.target}{ending}"]
    return words


def _no_image() -> Refused:
    return Refused("no image is named", "hermes config set docker.image IMAGE")


def lacks(options: DockerOptions) -> Refused | None:
    """Return what is missing here, if anything is."""
    if not options.image:
        return _no_image()
    try:
        find(options.engine)
    except Refused as error:
        return error
    return None


def docker_environment(
    options: DockerOptions, report: Callable[[str], None] = lambda _: None
) -> RemoteEnvironment:
    """Return an environment in a container; ``report`` is told how the pull of an image goes."""
    return RemoteEnvironment(
        DockerChannel(options, report),
        options.root,
        makes_root=True,
        variables={**UNICODE, **options.variables},
    )
