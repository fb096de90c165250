"""What the starter is told: the walls of a box, and the program that is to run in there."""

# Paths are strings here: they are compared, and handed to the kernel.
# ruff: noqa: PTH116
from __future__ import annotations

import marshal
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Mount(NamedTuple):
    """One step of building the tree that a process sees."""

    kind: str
    """``folder``, ``file`` and ``link`` make a place; ``bind``, ``device``, ``memory`` and
    ``terminals`` fill it. ``hold`` takes hold of a place that will be covered, ``held`` and
    ``shown`` show it again; ``lock`` makes all read-only, ``open`` one place writable again, and
    ``seal`` ends the building of a new tree."""
    source: str
    target: str
    read_only: bool = False


class Rules(NamedTuple):
    """A Landlock ruleset: what it handles, and what of that is allowed where."""

    handled: tuple[int, int, int]
    paths: tuple[tuple[str, int], ...]
    ports: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Walls:
    """Everything about a box that the kernel must be told, in the order in which it is."""

    namespaces: bool = False
    """Whether it has user, mount and message namespaces of its own."""
    own_network: bool = False
    """Whether it has a loopback of its own and no other network."""
    listen: int = 0
    """A port on that loopback to listen on for the proxy."""
    mounts: tuple[Mount, ...] = ()
    limits: tuple[tuple[int, int], ...] = ()
    drop: bool = False
    """Whether capabilities are given up before the program starts, and not by it."""
    landlock: Rules | None = None
    files: tuple[bytes, ...] = field(default=(), repr=False)
    """Contents of the descriptors from 3 on."""
    seccomp: bytes = field(default=b"", repr=False)

    def written(self) -> bytes:
        """Return the form that the starter reads; it differs when a place has been replaced."""
        rules = self.landlock
        return marshal.dumps(
            {
                "namespaces": self.namespaces,
                "own_network": self.own_network,
                "listen": self.listen,
                "mounts": [tuple(mount) for mount in self.mounts],
                "limits": list(self.limits),
                "drop": self.drop,
                "landlock": rules and (rules.handled, list(rules.paths), list(rules.ports)),
                "files": list(self.files),
                "seccomp": self.seccomp,
                "places": self._identities(),
            }
        )

    def _identities(self) -> list[int]:
        binds = {step.source for step in self.mounts if step.kind in {"bind", "open", "hold"}}
        granted = {path for path, _ in self.landlock.paths} if self.landlock else set()
        return [_identity(path) for path in sorted(binds | granted)]


class Order(NamedTuple):
    """One program to start, and the walls around it."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    walls: Walls

    def written(self) -> bytes:
        """Return the form that the starter reads."""
        command = marshal.dumps((list(self.argv), dict(self.env), self.cwd))
        return marshal.dumps((self.walls.written(), command))


def _identity(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
