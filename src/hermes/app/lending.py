"""Which folders of this machine a container may be shown: never secrets, homes or sockets."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from hermes.base.mounts import is_below
from hermes.environments.contract import Refused
from hermes.environments.mounts import Mount, mount
from hermes.environments.sandbox.places import SECRETS_AT_HOME, SECRETS_OF_THE_SYSTEM

_OF_THE_KERNEL = ("/proc", "/sys", "/dev", "/run")
_OPEN = frozenset({"/var/tmp"})
"""Hidden in boxes, which have their own; nothing of it is a secret."""
_FIX = "Name a folder that holds what the container needs and nothing else."


def lent(lines: Iterable[str], home: str, state: str) -> tuple[Mount, ...]:
    """Return the mounts that the settings name.

    Raises:
        Refused: one of them would show the container what it must not see.
    """
    found = tuple(mount(line.replace("~/", f"{home}/", 1)) for line in lines)
    for each in found:
        refuse(each.source, home, state)
    return found


def workspace(root: str, home: str, state: str) -> str:
    """Return the folder of a task, which its container is shown.

    Raises:
        Refused: it holds what a container must not see.
    """
    if root:
        refuse(root, home, state)
    return root


def refuse(source: str, home: str, state: str) -> None:
    """Refuse a path that is, holds or lies in something private.

    Raises:
        Refused: it does.
    """
    real = os.path.realpath(source)
    if _is_socket(real):
        raise Refused(f"{source} is a socket, by which a container would command others", _FIX)
    if is_below(os.path.realpath(home), real):
        raise Refused(f"a container is not shown {source}: it holds your home", _FIX)
    for path in _private(home, state):
        if is_below(real, path) or (is_below(path, real) and os.path.lexists(path)):
            raise Refused(f"a container is not shown {source}: {_why(real, path)}", _FIX)


def _private(home: str, state: str) -> Iterator[str]:
    yield from map(os.path.realpath, (state, *_OF_THE_KERNEL))
    own = os.path.realpath(home)
    yield from (f"{own}/{name}" for name in SECRETS_AT_HOME)
    yield from (os.path.realpath(path) for path in SECRETS_OF_THE_SYSTEM if path not in _OPEN)


def _why(real: str, path: str) -> str:
    return f"it lies in {path}" if is_below(real, path) else f"it holds {path}"


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)  # noqa: PTH116 - a text is at hand
    except OSError:
        return False
