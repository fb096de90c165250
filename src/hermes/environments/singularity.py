"""A container of apptainer or singularity: no daemon, as clusters have it; an instance per task."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hermes.environments.contract import Refused
from hermes.environments.docker import UNICODE
from hermes.environments.engine import started
from hermes.environments.link import Piped, Program
from hermes.environments.mounts import Mount
from hermes.environments.remote import RemoteEnvironment

_NAMES = ("apptainer", "singularity")
_START_SECONDS = 600.0
_CANNOT_RUN = (126, 127)
_FAILED = 255
_HINTS = (
    ("no such file or directory", "there is no image {image}", "Name a .sif file or a folder."),
    ("could not open image", "the image {image} cannot be opened", "Name a .sif file or a folder."),
    ("unable to build from source", "the image {image} cannot be had: {last}", "Pull it first."),
    ("requesting capability set", "the kernel keeps rights back: {last}", "Set keeps_rights off."),
    ("user namespace", "user namespaces are off here: {last}", "Ask who runs the machine."),
    (
        "/etc/subuid",
        "this user has no range of users for fakeroot",
        "Ask for one, or leave it out.",
    ),
    ("fuse", "the image cannot be mounted here: {last}", "Use a folder (build --sandbox)."),
)


@dataclass(frozen=True, slots=True)
class SingularityOptions:
    """What the instance of a task is made of, and what it may."""

    image: str
    program: str = ""
    """``apptainer`` or ``singularity``, or its path; without a word, the first that is there."""
    root: str = "/workspace"
    workspace: str = ""
    """A folder of this machine that is the root."""
    mounts: tuple[Mount, ...] = ()
    overlay: str = ""
    """A folder or image that keeps what is written; without one, it is kept in memory."""
    scratch: str = ""
    """A folder of this machine for /tmp and /var/tmp, such as a node's scratch disk."""
    network: bool = False
    fakeroot: bool = False
    keeps_rights: bool = False
    """As root, keep the rights of root inside."""
    memory_megabytes: int = 0
    processes: int = 0
    """Limits need cgroups that the user may use; 0 sets none."""
    variables: Mapping[str, str] = field(default_factory=dict)


class SingularityChannel:
    """Start programs in the instance of a task, which is started when first needed."""

    name = "singularity"

    def __init__(
        self, options: SingularityOptions, report: Callable[[str], None] = lambda _: None
    ) -> None:
        self._options, self._report = options, report
        self._program = ""
        self._instance = ""
        self.where = f"the instance of {options.image}"

    async def start(self, argv: Sequence[str]) -> Program:
        """Start a program in the instance; one that has ended is started again."""
        if not self._program:
            if not self._options.image:
                raise _no_image()
            self._program = find(self._options.program)
            await asyncio.to_thread(self._reap)
        running = await asyncio.to_thread(self._instances)
        if self._instance not in running:
            await asyncio.to_thread(self._begin)
        rights = _rights(self._options)
        inside = f"instance://{self._instance}"
        return Piped([self._program, "-q", "exec", *rights, "--pwd", "/", inside, *argv])

    def _begin(self) -> None:
        was_lost, self._instance = self._instance, ""
        if was_lost and not (self._options.overlay or self._options.workspace):
            raise Refused(
                "the instance has ended, and the files in its memory with it",
                "The next command starts in a new one; a workspace or an overlay keeps files.",
            )
        if _is_remote(self._options.image):
            self._report(f"fetching the image {self._options.image}")
        pid = os.getpid()
        name = f"hermes-{pid}-{started(pid)}-{uuid.uuid4().hex[:8]}"
        words = ["instance", "start", *arguments(self._options), self._options.image, name]
        done = self._run(words, _START_SECONDS)
        if done.returncode != 0:
            raise self._refused(done.stderr.strip())
        self._instance = name

    def _run(self, words: Sequence[str], seconds: float = 60.0) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                [self._program, "-q", *words],
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                stdin=subprocess.DEVNULL,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Refused(f"{self._program} {words[0]} does not answer") from None

    def _instances(self) -> list[str]:
        """Return the names of all instances of this user on this machine."""
        done = self._run(["instance", "list", "--json"])
        try:
            return [each["instance"] for each in json.loads(done.stdout)["instances"] or ()]
        except (ValueError, KeyError, TypeError):
            return []

    def _reap(self) -> None:
        """Stop the instances of ours whose owner is dead."""
        for name in self._instances():
            first, *rest = name.split("-")
            is_ours = first == "hermes" and len(rest) == 3 and rest[0].isdigit()
            if is_ours and started(int(rest[0])) != rest[1]:
                self._run(["instance", "stop", "--force", name])

    def _refused(self, words: str) -> Refused:
        last = words.splitlines()[-1] if words else "it says nothing"
        names = {"image": self._options.image, "last": last}
        for sign, message, hint in _HINTS:
            if sign in words.lower():
                return Refused(message.format(**names), hint)
        return Refused(f"{self._program}: {last}")

    def refusal(self, code: int | None, words: str) -> Refused | None:
        """Return what an end of the client at the very start means."""
        if code in _CANNOT_RUN or "executable file not found" in words:
            hint = "Use an image with bash and Python 3.8 or newer."
            return Refused(f"python3 is missing in the image {self._options.image}", hint)
        return self._refused(words) if code == _FAILED else None

    async def snapshot(self) -> str:
        """Refuse: what is written is kept by an overlay."""
        hint = "Give it an overlay, and copy that."
        raise Refused("singularity has no snapshots of what runs", hint)

    async def close(self) -> None:
        """Stop the instance."""
        name, self._instance = self._instance, ""
        if name:
            await asyncio.to_thread(self._run, ["instance", "stop", "--force", name])


def find(name: str = "") -> str:
    """Return the program of that name, or the first that is there.

    Raises:
        Refused: there is none.
    """
    for each in [name] if name else _NAMES:
        if found := shutil.which(each):
            return found
    missing = name or "neither apptainer nor singularity"
    raise Refused(f"{missing} is {'missing' if name else 'installed'}", "apt install apptainer")


def arguments(options: SingularityOptions) -> list[str]:
    """Return the words after ``instance start`` that make an instance as the options want it."""
    words = ["--containall", "--no-home", *_rights(options)]
    words += ["--overlay", options.overlay] if options.overlay else ["--writable-tmpfs"]
    if options.fakeroot:
        words.append("--fakeroot")
    if options.scratch:
        words += ["--workdir", options.scratch]
    if not options.network:
        words += ["--net", "--network", "none"]
    if options.memory_megabytes:
        words += ["--memory", f"{options.memory_megabytes}M"]
    if options.processes:
        words += ["--pids-limit", str(options.processes)]
    return [*words, *_mounts(options)]


def _rights(options: SingularityOptions) -> list[str]:
    return ["--no-privs"] if os.geteuid() == 0 and not options.keeps_rights else []


def _mounts(options: SingularityOptions) -> list[str]:
    mounts = list(options.mounts)
    if options.workspace:
        mounts.insert(0, Mount(options.workspace, options.root, writable=True))
    words = []
    for mount in mounts:
        if any(sign in mount.source + mount.target for sign in ",:"):
            raise Refused(f"a bind cannot have a comma or colon: {mount.source}")
        ending = "" if mount.writable else ":ro"
        words += ["--bind", f"{mount.source}:{mount.target}{ending}"]
    return words


def _no_image() -> Refused:
    return Refused("no image is named", "hermes config set singularity.image FILE.sif")


def lacks(options: SingularityOptions) -> Refused | None:
    """Return what is missing here, if anything is."""
    if not options.image:
        return _no_image()
    try:
        find(options.program)
    except Refused as error:
        return error
    if not _is_remote(options.image) and not os.path.exists(options.image):  # noqa: PTH110 - a text
        return Refused(f"there is no image {options.image}", "Name a .sif file or a folder.")
    return None


def _is_remote(image: str) -> bool:
    """Say whether an image is fetched from elsewhere, as by ``docker://``."""
    return "://" in image


def singularity_environment(
    options: SingularityOptions, report: Callable[[str], None] = lambda _: None
) -> RemoteEnvironment:
    """Return an environment in an instance; ``report`` is told when an image is fetched."""
    return RemoteEnvironment(
        SingularityChannel(options, report),
        options.root,
        makes_root=True,
        variables={**UNICODE, **options.variables},
    )
