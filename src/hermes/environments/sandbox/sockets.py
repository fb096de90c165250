"""Find the sockets of others that a box would let its programs connect to by their paths.

A mount that is read-only does not keep anybody from connecting to a socket beneath it.
"""

# Paths are strings here: they are compared, and handed to the kernel.
# ruff: noqa: PTH110, PTH123
from __future__ import annotations

import os
from collections.abc import Sequence

_LISTING = "/proc/net/unix"
_PATH = 7
"""How many words come before the path in a line of the listing."""


def below(roots: Sequence[str]) -> tuple[str, ...]:
    """Return the paths of open sockets below folders."""
    inside = tuple(f"{root}/" for root in roots)
    found = [path for path in _listed() if path.startswith(inside)]
    return tuple(path for path in found if os.path.exists(path))


def _listed() -> list[str]:
    try:
        with open(_LISTING, "rb") as listing:
            lines = [line.split(maxsplit=_PATH) for line in listing.read().splitlines()]
    except OSError:
        return []
    named = {os.fsdecode(line[_PATH]) for line in lines if line[_PATH:] and line[_PATH][:1] == b"/"}
    return sorted(os.path.realpath(path) for path in named)
