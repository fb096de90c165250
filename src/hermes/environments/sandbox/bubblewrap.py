"""Bubblewrap: namespaces around a tree of its own.

The tree and all namespaces but those of users and processes are made by the starter: bubblewrap
needs a tenth of a millisecond for each mount, and a box has dozens. Bubblewrap makes the rest
before the command comes, around a program that only waits; the command goes in after it. In a box
without such a program bubblewrap starts the command itself, which takes longer.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Sequence
from functools import cache

from hermes.base.mounts import is_below
from hermes.environments.sandbox import layout, places
from hermes.environments.sandbox.box import Box
from hermes.environments.sandbox.limits import rlimits
from hermes.environments.sandbox.order import Command, Walls
from hermes.environments.sandbox.seccomp import Sockets, native, program

_FILTER = 3
_COPIES_ITS_INPUT = ("/usr/bin/cat", "/bin/cat")
_KERNEL_FILES = tuple(
    f"/proc/{name}"
    for name in ("sys", "irq", "bus", "fs", "acpi", "scsi", "driver", "tty", "pressure", "mtrr")
)
"""Root may write there without any capability, and bubblewrap covers only what looks writable."""
_ALWAYS = ("--unshare-user", "--unshare-pid", "--die-with-parent", "--cap-drop", "ALL")


class Bubblewrap:
    """Start a program in namespaces of its own."""

    name = "bubblewrap"
    confines = True
    builds_tree = True

    def __init__(self, program: str | None = None) -> None:
        self._program = program or _found()

    def unavailable(self) -> str | None:
        """Say why this cannot be used here, or None."""
        if platform.system() != "Linux":
            return "bubblewrap runs on Linux"
        if native() is None:
            return f"no table of system calls for {platform.machine()}"
        return None if self._program else "bubblewrap is not installed (the program bwrap)"

    def walls(self, box: Box, stage: str) -> Walls:
        """Return what the kernel is told before bubblewrap is."""
        proxied = box.network == "proxy"
        calls = program(Sockets(internet=box.network != "off"), has_namespaces=True)
        waiting = waiting_program(box)
        around = [*self._called(box, cwd="/", stage=stage), waiting] if waiting else []
        return Walls(
            namespaces=True,
            own_network=box.network != "on",
            listen=box.proxy_port if proxied else 0,
            mounts=layout.new_root(box, stage) if box.confined else (),
            limits=rlimits(box.limits),
            around=tuple(around),
            drop=bool(around),
            files=(calls,),
            seccomp=calls if around else b"",
        )

    def command(self, box: Box, argv: Sequence[str], *, cwd: str, stage: str) -> Command:
        """Return a program as it is, or how bubblewrap is called to start it."""
        if waiting_program(box):
            return Command(tuple(argv), cwd)
        return Command((*self._called(box, cwd=cwd, stage=stage), *argv), "/")

    def _called(self, box: Box, *, cwd: str, stage: str) -> list[str]:
        return [str(self._program), *arguments(box, cwd=cwd, stage=stage), "--"]


def _found() -> str | None:
    """Find bwrap where the system keeps its programs: a command may have put one elsewhere."""
    folders = os.get_exec_path()
    return shutil.which("bwrap", path=":".join(path for path in folders if _is_systems(path)))


def _is_systems(path: str) -> bool:
    real = os.path.realpath(path)
    return any(is_below(real, place) for place in places.OF_THE_SYSTEM)


@cache
def waiting_program(box: Box) -> str | None:
    """Return a program that is seen in a box, cannot be changed there, and copies its input."""
    for path in _COPIES_ITS_INPUT:
        real = os.path.realpath(path)
        is_seen = not box.confined or any(is_below(real, place) for place in box.readable)
        is_kept = not any(is_below(real, place) for place in box.writable)
        if is_seen and is_kept and os.access(real, os.X_OK):
            return real
    return None


def arguments(box: Box, *, cwd: str, stage: str) -> list[str]:
    """Return bubblewrap's own arguments for a box whose tree stands ready."""
    words = [*_ALWAYS]
    if box.confined:
        words += ["--dev-bind", stage, "/", "--proc", "/proc"]
    else:
        words += ["--dev-bind", "/", "/", "--proc", "/proc"]
    for path in _KERNEL_FILES:
        words += ["--ro-bind-try", path, path]
    return [*words, "--seccomp", str(_FILTER), "--chdir", cwd]
