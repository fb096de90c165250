"""What the starter is told: the walls of a box, and the program that is to run in there."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Mount(NamedTuple):
    """One step of building the tree that a process sees."""

    kind: str
    """``folder``, ``file`` and ``link`` make a place; ``bind``, ``device``, ``memory`` and
    ``terminals`` fill it; ``keep`` leaves it as it is, even if it is a link. ``hold`` takes hold of
    a place that will be covered, ``held`` and ``shown`` show it again; ``lock`` makes all
    read-only, ``open`` one place writable again, and ``seal`` ends the building of a new tree."""
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
    may_gain: bool = False
    """Whether its programs may gain rights, as sudo does."""
    drop: bool = False
    """Whether capabilities are given up before the program starts, and not by it."""
    landlock: Rules | None = None
    around: tuple[str, ...] = ()
    """A program that builds the innermost walls and waits; the box's own goes in after it."""
    files: tuple[bytes, ...] = field(default=(), repr=False)
    """Contents of the descriptors from 3 on."""
    seccomp: bytes = field(default=b"", repr=False)

    def written(self, stamp: tuple[int, ...] = ()) -> bytes:
        """Return the form that the starter reads; the stamp tells equal walls of other times."""
        rules = self.landlock
        return marshal.dumps(
            {
                "namespaces": self.namespaces,
                "own_network": self.own_network,
                "listen": self.listen,
                "mounts": [tuple(mount) for mount in self.mounts],
                "limits": list(self.limits),
                "may_gain": self.may_gain,
                "drop": self.drop,
                "landlock": rules and (rules.handled, list(rules.paths), list(rules.ports)),
                "around": list(self.around),
                "files": list(self.files),
                "seccomp": self.seccomp,
                "stamp": stamp,
            }
        )


class Command(NamedTuple):
    """What is executed, and where."""

    argv: tuple[str, ...]
    cwd: str


class Order(NamedTuple):
    """One program to start, and the walls around it in their written form."""

    command: Command
    env: Mapping[str, str]
    walls: bytes
    limits: tuple[tuple[int, int], ...] = ()

    def written(self) -> bytes:
        """Return the form that the starter reads."""
        argv, cwd = self.command
        return marshal.dumps((self.walls, marshal.dumps((list(argv), dict(self.env), cwd))))
