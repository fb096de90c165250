"""Landlock and seccomp: a boundary that needs no program, no rights and no namespaces.

Where user namespaces are allowed, the tree is sealed by mounts first, so that protected places stay
as they are inside a writable root. Where they are not, a protected place takes away the right to
create anything beside it: Landlock can only add rights beneath a folder, never take them back.
"""

# Paths are strings here: they are compared, and handed to the kernel.
# ruff: noqa: PTH110, PTH112, PTH114, PTH208
from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from functools import cache

from hermes.base.mounts import is_below
from hermes.environments.sandbox import layout, places
from hermes.environments.sandbox.box import Box
from hermes.environments.sandbox.inside import kernel
from hermes.environments.sandbox.limits import rlimits
from hermes.environments.sandbox.order import Command, Rules, Walls
from hermes.environments.sandbox.seccomp import Sockets, native, program

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
CONNECT_TCP = 1 << 1

_FIRST_RIGHTS = (1 << 13) - 1
_FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
_READ = EXECUTE | READ_FILE | READ_DIR
_BOTH_TCP, _BOTH_SCOPES = 3, 3


class Landlock:
    """Restrict a process by what it was granted, with the kernel's own unprivileged means."""

    name = "landlock"
    confines = True

    def __init__(self, *, namespaces: bool = True) -> None:
        self.builds_tree = namespaces

    def unavailable(self) -> str | None:
        """Say why this cannot be used here, or None."""
        if platform.system() != "Linux":
            return "Landlock is a part of Linux"
        if native() is None:
            return f"no table of system calls for {platform.machine()}"
        return None if version() else "this kernel has no Landlock (Linux 5.13 or later has)"

    def walls(self, box: Box, stage: str) -> Walls:
        """Return what the kernel is told about a box."""
        del stage  # the tree is sealed where it is
        sealed = self.builds_tree and box.confined
        own_network = self.builds_tree and box.network in {"loopback", "proxy"}
        sockets = _sockets(box, own_network=own_network)
        return Walls(
            namespaces=self.builds_tree,
            own_network=own_network,
            listen=box.proxy_port if own_network and box.network == "proxy" else 0,
            mounts=layout.in_place(box) if sealed else (),
            limits=rlimits(box.limits),
            drop=True,
            landlock=rules(box, sealed=sealed, own_network=own_network),
            seccomp=program(sockets, has_namespaces=self.builds_tree),
        )

    def command(self, box: Box, argv: Sequence[str], *, cwd: str, stage: str) -> Command:
        """Return a program as it is: the walls are all there is."""
        del box, stage
        return Command(tuple(argv), cwd)


@cache
def version() -> int:
    """Return the version of Landlock here, 0 without it."""
    return kernel.landlock_version() if platform.system() == "Linux" else 0


def handled_rights(abi: int) -> int:
    """Return every right on files that a version of Landlock knows."""
    later = ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV))
    return _FIRST_RIGHTS | sum(right for since, right in later if abi >= since)


def rules(box: Box, *, sealed: bool, own_network: bool, abi: int | None = None) -> Rules:
    """Return the ruleset of a box for a version of Landlock."""
    abi = version() if abi is None else abi
    every = handled_rights(abi)
    limited = box.network == "proxy" and not own_network
    handled = (every, _BOTH_TCP if abi >= 4 and limited else 0, _BOTH_SCOPES if abi >= 6 else 0)
    ports = ((box.proxy_port, CONNECT_TCP),) if handled[1] else ()
    if not box.confined:
        return Rules(handled, (("/", every),), ports)
    return Rules(handled, tuple(_granted(box, every, sealed=sealed).items()), ports)


def _granted(box: Box, every: int, *, sealed: bool) -> dict[str, int]:
    read = _READ & every
    if sealed:
        granted = dict.fromkeys(layout.existing((*box.readable, *places.KERNEL_FILES)), read)
        granted |= dict.fromkeys(("/tmp", "/dev/shm", *box.writable), every)
    else:
        closed = [os.path.realpath(path) for path in layout.existing(box.hidden)]
        kept = [*closed, *layout.kept(box)]
        granted = dict.fromkeys(_around((*box.readable, *places.KERNEL_FILES), closed), read)
        written = (*box.writable, *([box.scratch] if box.scratch else []))
        granted |= dict.fromkeys(_around(written, kept), every)
    terminals = ("ptmx", "pts") if sealed else ()  # where they are not its own, all are seen
    devices = [f"/dev/{name}" for name in (*places.DEVICES, *terminals)]
    granted |= dict.fromkeys(devices, (_READ | WRITE_FILE | IOCTL_DEV) & every)
    return {
        path: rights if os.path.isdir(path) else rights & _FILE_RIGHTS
        for path, rights in granted.items()
    }


def _around(roots: Sequence[str], closed: Sequence[str]) -> list[str]:
    """Return paths that together hold the roots without what is closed."""
    open_paths: list[str] = []
    left = [path for path in roots if os.path.exists(path)]
    while left:
        path = left.pop()
        if any(is_below(path, place) for place in closed):
            continue
        if not any(is_below(place, path) for place in closed):
            open_paths.append(path)
        elif os.path.isdir(path):
            inside = [f"{path}/{name}" for name in os.listdir(path)]
            left += [each for each in inside if not os.path.islink(each)]  # it opens no other place
    return open_paths


def _sockets(box: Box, *, own_network: bool) -> Sockets:
    internet = own_network or box.network in {"on", "proxy"}
    return Sockets(internet=internet, datagrams=own_network or box.network == "on")
