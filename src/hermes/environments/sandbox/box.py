"""Say what a process may do: the box that every backend builds."""

# Paths are strings here: they are compared, and handed to the kernel.
# ruff: noqa: PTH112, PTH113, PTH119, PTH208
from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from hermes.base.mounts import is_below
from hermes.base.secret_names import is_secret_name
from hermes.environments.sandbox import places

Network = Literal["off", "loopback", "proxy", "on"]
Files = Literal["read-only", "workspace-write", "off"]
MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a process may use; None leaves the system's own limit."""

    cpu_seconds: int | None = None
    memory_bytes: int | None = 4096 * MEGABYTE
    processes: int | None = 512
    file_bytes: int | None = None
    open_files: int | None = 4096
    scratch_bytes: int = 1024 * MEGABYTE
    """What fits into the private /tmp and home where they are kept in memory."""


@dataclass(frozen=True, slots=True)
class Box:
    """What a process may see, change, reach and use. Paths are absolute and real.

    What is narrower wins: ``hidden`` over ``protected`` over ``writable`` over ``readable``. With
    ``confined`` false files are as open as they are to the user, and only the rest holds.
    """

    readable: tuple[str, ...]
    writable: tuple[str, ...]
    hidden: tuple[str, ...]
    protected: tuple[str, ...]
    home: str
    scratch: str | None = None
    """A folder that is shown as /tmp and outlives the process; None gives a fresh one."""
    confined: bool = True
    network: Network = "off"
    proxy_port: int = 3128
    limits: Limits = Limits()
    variables: tuple[str, ...] = places.VARIABLES

    def digest(self) -> str:
        """Return a short name for exactly this box, for the journal."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def granting(self, *, writable: Sequence[str | Path] = (), network: bool = False) -> Box:
        """Return this box with exactly so much more: paths that may be written, or the network.

        A path that is granted by name is neither hidden nor protected any more.
        """
        more = tuple(_real(path) for path in writable)
        return replace(
            self,
            writable=_each_once((*self.writable, *more)),
            hidden=tuple(path for path in self.hidden if path not in more),
            protected=tuple(path for path in self.protected if path not in more),
            network="on" if network else self.network,
        )

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return what a child may see of an environment."""
        return {name: value for name, value in given.items() if self._lets_see(name)}

    def _lets_see(self, name: str) -> bool:
        if name in self.variables or "*" in self.variables:
            return True
        return any(fnmatchcase(name, allowed) for allowed in self.variables) and not (
            is_secret_name(name)  # one of many that nobody thought of
        )


def make_box(
    workspace: str | Path,
    *,
    home: str | Path,
    hermes_home: str | Path,
    files: Files = "workspace-write",
    network: Network = "off",
    writable: Sequence[str | Path] = (),
    limits: Limits | None = None,
    scratch: str | Path | None = None,
) -> Box:
    """Turn a plain description into a box."""
    own_home = _real(home)
    top = [_real(workspace), *map(_real, writable)] if files == "workspace-write" else []
    return Box(
        readable=_each_once(
            (*_top_folders(), *_toolchains(own_home), _real(workspace), *_linked(_real(workspace)))
        ),
        writable=_each_once(top),
        hidden=_hidden(own_home, _real(hermes_home)),
        protected=_protected(top, own_home),
        home=own_home,
        scratch=_real(scratch) if scratch else None,
        confined=files != "off",
        network=network,
        limits=limits or Limits(),
    )


def _real(path: str | Path) -> str:
    return os.path.realpath(path)


def _each_once(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))


def _top_folders() -> list[str]:
    names = sorted(os.listdir("/"))
    paths = [f"/{name}" for name in names if name not in places.NEVER_SEEN]
    return [path for path in paths if os.path.isdir(path)]


def _toolchains(home: str) -> list[str]:
    """Return what programs need of a home, and where our own Python has its tools, if there."""
    found = [f"{home}/{name}" for name in places.TOOLCHAINS]
    shown = [top for top in _top_folders() if not is_below(home, top)]
    own = [_real(path) for path in (sys.prefix, sys.base_prefix)]
    own = [path for path in own if not is_below(home, path)]
    found += [path for path in own if not any(is_below(path, top) for top in shown)]
    return [path for path in found if os.path.lexists(path)]


def _linked(workspace: str) -> list[str]:
    """Return the packages of a project that lie elsewhere and that it has a link to."""
    packages = _real(f"{workspace}/{places.NODE_PACKAGES}")
    found = [packages] if os.path.basename(packages) == places.NODE_PACKAGES else []
    for name in places.ENVIRONMENTS:
        environment = _real(f"{workspace}/{name}")
        if os.path.isfile(f"{environment}/pyvenv.cfg"):
            found += [f"{environment}/{part}" for part in places.PARTS_OF_ENVIRONMENTS]
    return [path for path in found if not is_below(path, workspace) and os.path.lexists(path)]


def _hidden(home: str, hermes_home: str) -> tuple[str, ...]:
    at_home = [f"{home}/{name}" for name in places.SECRETS_AT_HOME]
    return _each_once((*at_home, hermes_home, *places.SECRETS_OF_THE_SYSTEM))


def _protected(roots: Sequence[str], home: str) -> tuple[str, ...]:
    found = [f"{root.rstrip('/')}/{name}" for root in roots for name in places.PROTECTED]
    for root in roots:
        found += [f"{home}/{name}" for name in places.STARTUP_AT_HOME if is_below(home, root)]
    return _each_once(found)
