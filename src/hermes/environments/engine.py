"""Docker or podman by its command-line client, whichever there is."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hermes.environments.contract import Refused

_QUICK_SECONDS = 60.0
_ANSWER_SECONDS = 15.0
_PULL_SECONDS = 3600.0
_NAMES = ("docker", "podman")
_HINTS = (
    (
        "permission denied",
        "{name} may not be used by this user",
        "Join the group docker, or use podman, which needs no such right.",
    ),
    ("cannot connect", "the engine of {name} does not run", "Start it, or check DOCKER_HOST."),
    ("is the docker daemon running", "the engine of {name} does not run", "Start it."),
    ("connection refused", "the engine of {name} does not run", "Start it, or check DOCKER_HOST."),
    ("docker-init", "the engine of {name} lacks docker-init", "Install it (package tini)."),
    ("catatonit", "podman lacks an init program", "Install catatonit."),
    ("rlimit", "the engine may not raise limits here: {last}", "Set default_ulimits lower."),
)
_NO_IMAGE = ("no such image", "manifest unknown", "not found", "does not exist", "image not known")


class Said(NamedTuple):
    """What a client answered."""

    code: int
    output: str
    errors: str


class Engine:
    """One engine, by the name of its client."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def run(self, *words: str, seconds: float = _QUICK_SECONDS) -> Said:
        """Run the client to its end.

        Raises:
            Refused: it does not answer in time.
        """
        return await asyncio.to_thread(self.say, *words, seconds=seconds)

    def say(self, *words: str, seconds: float = _QUICK_SECONDS) -> Said:
        """Run the client to its end, from a thread; see ``run``."""
        try:
            done = subprocess.run(
                [self.name, *words],
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                stdin=subprocess.DEVNULL,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Refused(
                f"{self.name} {words[0]} does not answer", "Look at the engine."
            ) from None
        return Said(done.returncode, done.stdout.strip(), done.stderr.strip())

    async def must(self, *words: str) -> str:
        """Run the client, and return what it printed.

        Raises:
            Refused: it failed; says why.
        """
        said = await self.run(*words)
        if said.code != 0:
            raise self.refusal(said.errors)
        return said.output

    def refusal(self, words: str) -> Refused:
        """Return what the last words of a client mean."""
        last = words.splitlines()[-1] if words else "it says nothing"
        names = {"name": self.name, "last": last}
        for sign, message, hint in _HINTS:
            if sign in words.lower():
                return Refused(message.format(**names), hint)
        return Refused(f"{self.name}: {last}")

    async def have(self, image: str, report: Callable[[str], None]) -> None:
        """Have an image at hand; what a pull says goes to ``report`` line by line.

        Raises:
            Refused: it cannot be had.
        """
        if (await self.run("image", "inspect", "--format", "{{.Id}}", image)).code == 0:
            return
        report(f"pulling the image {image}")
        words = await asyncio.to_thread(self._pull, image, report)
        if words is None:
            return
        if any(sign in words.lower() for sign in _NO_IMAGE):
            hint = "Check its name, or build it first."
            raise Refused(f"there is no image {image}", hint)
        last = words.splitlines()[-1] if words else "it says nothing"
        raise Refused(f"the image {image} cannot be pulled: {last}", "Check the network and login.")

    def _pull(self, image: str, report: Callable[[str], None]) -> str | None:
        """Pull an image; returns the last words if that failed."""
        lines: list[str] = []
        pulling = subprocess.Popen(
            [self.name, "pull", image],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        with pulling:
            for line in pulling.stdout or ():
                report(line.rstrip())
                lines = [*lines[-20:], line.rstrip()]
            code = pulling.wait(_PULL_SECONDS)
        return None if code == 0 else "\n".join(lines)

    async def reap(self) -> None:
        """Remove the containers of ours whose owner is dead."""
        said = await self.run("ps", "-aq", "--filter", "label=hermes=1")
        if said.code != 0 or not said.output:
            return
        form = '{{.Id}} {{index .Config.Labels "hermes.owner"}}'
        found = await self.run("container", "inspect", "--format", form, *said.output.split())
        for line in found.output.splitlines():
            number, _, owner = line.partition(" ")
            if number and is_dead(owner):
                await self.remove(number)

    async def remove(self, container: str) -> None:
        """Remove a container at once, with all that runs in it."""
        at_once = ("--time", "0") if self.name == "podman" else ()
        await self.run("rm", "-f", "-v", *at_once, container)


async def choose(name: str = "") -> Engine:
    """Return the engine of that name, or the first that works; see ``find``."""
    return await asyncio.to_thread(find, name)


def find(name: str = "") -> Engine:
    """Return the engine of that name, or the first that works.

    Raises:
        Refused: there is none, or none that works.
    """
    wanted = [each for each in ([name] if name else _NAMES) if shutil.which(each)]
    if not wanted:
        missing = name or "neither docker nor podman"
        text = f"{missing} is missing" if name else f"{missing} is installed"
        raise Refused(text, f"apt install {name or 'podman'}")
    refusals = []
    for each in wanted:
        engine = Engine(each)
        said = engine.say("version", "--format", "{{.Server.Version}}", seconds=_ANSWER_SECONDS)
        if said.code == 0 or (each == "podman" and "nil pointer" in said.errors):
            return engine
        refusals.append(engine.refusal(said.errors))
    raise refusals[0]


def owner() -> str:
    """Return who we are, in words that tell later whether we still live."""
    pid = os.getpid()
    return f"{socket.gethostname()}/{_boot()}/{pid}/{started(pid)}"


def is_dead(name: str) -> bool:
    """Say whether an owner of this machine has ended; of another one, nobody knows."""
    parts = name.split("/")
    if len(parts) != 4 or parts[0] != socket.gethostname() or not parts[2].isdigit():
        return False
    return parts[1] != _boot() or started(int(parts[2])) != parts[3]


def _boot() -> str:
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    return "-"


def started(pid: int) -> str:
    """Return when a process was started; empty if it is not there."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(") ")[2].split()[19]
    except OSError:
        return ""
