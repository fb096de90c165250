"""A machine reached by OpenSSH: one connection for the task, the user's own settings honoured."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import subprocess
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes.environments import leftovers
from hermes.environments.contract import Refused
from hermes.environments.link import Piped, Program
from hermes.environments.remote import RemoteEnvironment

_QUICK_SECONDS = 10.0
_PERSIST_SECONDS = 60
_ALIVE_SECONDS = 15
_CONNECT_SECONDS = 20
_FAILED = 255
_SHORT = "/tmp"
_HINTS = (
    (
        "host key verification failed",
        "the key of {where} is not known, or has changed",
        "Connect once by hand (ssh {target}) and check the key before you accept it.",
    ),
    (
        "permission denied",
        "{where} does not let us in",
        "Load your key into the agent (ssh-add), or name it as identity; passwords are not asked.",
    ),
    (
        "could not resolve hostname",
        "the name {where} is not known",
        "Check the host, or name it in ~/.ssh/config.",
    ),
    (
        "connection refused",
        "{where} takes no connections",
        "Check that an SSH server runs there, and its port.",
    ),
    ("timed out", "{where} does not answer", "Check the network, and that the machine is up."),
    ("no route to host", "{where} cannot be reached", "Check the network or the VPN."),
    ("too many authentication failures", "{where} does not let us in", "Name one identity."),
    ("bad owner or permissions", "ssh does not trust its own settings", "Fix the file it names."),
    ("no such file or directory", "ssh misses a file: {last}", "Check the identity and config."),
)


@dataclass(frozen=True, slots=True)
class SshOptions:
    """Where to go. What is not said is left to the user's own settings of ssh."""

    host: str
    user: str = ""
    port: int = 0
    identity: str = ""
    """The file of a private key."""
    config: str = ""
    """A file of settings in place of ~/.ssh/config."""
    root: str = ""
    """The folder that the task starts in there; without one, the home."""
    is_trial: bool = False
    """Start in an empty folder of its own, which goes when the environment is closed."""

    @property
    def target(self) -> str:
        """The machine as a person writes it."""
        return f"{self.user}@{self.host}" if self.user else self.host


class SshChannel:
    """Start programs on a machine by ssh, all of them over one connection."""

    name = "ssh"

    def __init__(self, options: SshOptions) -> None:
        if not options.host:
            raise _no_host()
        if options.host.startswith("-") or options.user.startswith("-"):
            raise Refused(f"{options.target!r} is no host", "Name one, such as user@example.org.")
        self._options = options
        self.where = options.target
        self._folder: str | None = None
        self._ours: list[str] = []

    def _words(self) -> list[str]:
        """Return the client with what the options say; nothing that is a secret."""
        options = self._options
        words = ["ssh"]
        if options.config:
            words += ["-F", options.config]
        if options.port:
            words += ["-p", str(options.port)]
        if options.identity:
            words += ["-i", options.identity]
        if options.user:
            words += ["-l", options.user]
        return words

    async def start(self, argv: Sequence[str]) -> Program:
        """Start a program there."""
        if shutil.which("ssh") is None:
            raise _no_client()
        if self._folder is None:
            self._folder = await asyncio.to_thread(_folder)
            self._ours = await asyncio.to_thread(self._settle)
        script = f"exec {shlex.join(argv)}"
        command = f"exec /bin/sh -c {shlex.quote(script)}"
        words = [*self._words(), *self._ours, "-T", "--", self._options.host, command]
        return await asyncio.to_thread(Piped, words)

    def _settle(self) -> list[str]:
        """Return our own settings: what a person has set is left as it is."""
        theirs = self._their_settings()
        wanted = {"BatchMode": "yes", "RemoteCommand": "none", "EscapeChar": "none"}
        if theirs.get("serveraliveinterval", "0") == "0":
            wanted |= {"ServerAliveInterval": str(_ALIVE_SECONDS), "ServerAliveCountMax": "3"}
        if theirs.get("connecttimeout", "none") == "none":
            wanted["ConnectTimeout"] = str(_CONNECT_SECONDS)
        if theirs.get("controlpath", "none") == "none":
            wanted |= {
                "ControlMaster": "auto",
                "ControlPath": f"{self._folder}/way",
                "ControlPersist": str(_PERSIST_SECONDS),
            }
        return [word for name, value in wanted.items() for word in ("-o", f"{name}={value}")]

    def _their_settings(self) -> dict[str, str]:
        asked = [*self._words(), "-G", "--", self._options.host]
        try:
            done = subprocess.run(
                asked, capture_output=True, text=True, timeout=_QUICK_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return {}
        if done.returncode != 0:
            raise self.refusal(_FAILED, done.stderr.strip()) or Refused(done.stderr.strip())
        lines = (line.partition(" ") for line in done.stdout.splitlines())
        return {name.lower(): value for name, _, value in lines}

    def refusal(self, code: int | None, words: str) -> Refused | None:
        """Return what an end of the client at the very start means."""
        if code != _FAILED:
            return None
        last = words.splitlines()[-1] if words else "it says nothing"
        names = {"where": self.where, "target": self._options.target, "last": last}
        for sign, message, hint in _HINTS:
            if sign in words.lower():
                return Refused(message.format(**names), hint.format(**names))
        return Refused(f"ssh cannot reach {self.where}: {last}")

    async def snapshot(self) -> str:
        """Refuse: a machine has no snapshots that we could make."""
        hint = "Commit the work there, or download it."
        raise Refused(f"{self.where} has no snapshots", hint)

    async def rest(self) -> str:
        """End the shared connection; the next start makes another."""
        await self.close()
        return ""

    async def close(self) -> None:
        """End the shared connection, if it is ours."""
        folder, self._folder = self._folder, None
        if folder is None:
            return
        await asyncio.to_thread(self._leave, folder)

    def _leave(self, folder: str) -> None:
        if not any(Path(folder).iterdir()):
            shutil.rmtree(folder, ignore_errors=True)
            return
        words = [*self._words(), *self._ours, "-O", "exit", "--", self._options.host]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(words, capture_output=True, timeout=_QUICK_SECONDS, check=False)
        shutil.rmtree(folder, ignore_errors=True)


def _folder() -> str:
    """Make a folder for a connection; those of a killed hermes go.

    The name of a socket must be short, and the folder for temporary files may be deep.
    """
    parent = _SHORT if os.access(_SHORT, os.W_OK) else None
    leftovers.sweep(parent)
    return leftovers.make("ssh", parent)


def _no_host() -> Refused:
    return Refused("no machine is named", "hermes config set ssh.host NAME")


def _no_client() -> Refused:
    return Refused("the program ssh is missing", "apt install openssh-client")


def lacks(options: SshOptions) -> Refused | None:
    """Return what is missing here, if anything is; the machine itself is not called."""
    if not options.host:
        return _no_host()
    return None if shutil.which("ssh") else _no_client()


class Trial(RemoteEnvironment):
    """An environment in a folder of its own, which goes with it."""

    async def close(self) -> None:
        """Remove the folder, unless nobody answers, and let go of the machine."""
        if self._link is not None and not self._link.lost.is_set():
            with contextlib.suppress(OSError, Refused):
                await self.files.remove(self.root, recursive=True)
        await super().close()


def ssh_environment(
    options: SshOptions, report: Callable[[str], None] = lambda _: None
) -> RemoteEnvironment:
    """Return an environment on a machine that ssh reaches."""
    del report  # nothing takes long there
    if options.is_trial:
        root = f"{options.root or '/tmp'}/hermes-trial-{uuid.uuid4().hex[:12]}"
        return Trial(SshChannel(options), root, makes_root=True)
    return RemoteEnvironment(SshChannel(options), options.root)
