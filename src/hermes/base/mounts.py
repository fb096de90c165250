"""Tell one mount from another, and find the other names that a mount gives to a place."""

from __future__ import annotations

import functools
import os
import re
import sys
from typing import Any, NamedTuple

from hermes.base.optional import load

_MOUNT_ID = 0x1000
_EMPTY_PATH = 0x1000
_SIZE = 256
_OFFSET = 144  # of stx_mnt_id in struct statx
_ESCAPE = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """One line of mountinfo: which part of which device is seen where."""

    device: str
    root: str
    point: str


@functools.cache
def _statx() -> tuple[Any, Any]:
    """Return the system's call and what makes a buffer for its answer; None without such a call."""
    ctypes = load("ctypes")
    try:
        call = ctypes.CDLL(None).statx
    except (AttributeError, OSError):
        return None, None
    number, text = ctypes.c_int, ctypes.c_char_p
    call.argtypes = (number, text, number, ctypes.c_uint, text)
    return call, ctypes.create_string_buffer


def mount_of(descriptor: int) -> int | None:
    """Return the number of the mount that an open file lies on; None where nobody can tell."""
    call, buffer = _statx()
    if call is None:
        return None
    answer = buffer(_SIZE)
    if call(descriptor, b"", _EMPTY_PATH, _MOUNT_ID, answer):
        return None
    if not int.from_bytes(answer[:4], sys.byteorder) & _MOUNT_ID:
        return None
    return int.from_bytes(answer[_OFFSET : _OFFSET + 8], sys.byteorder)


def read_mounts() -> list[Mount]:
    """Return the mounts that this process sees, in the order they were made."""
    try:
        descriptor = os.open("/proc/self/mountinfo", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return []
    with os.fdopen(descriptor, errors="surrogateescape") as stream:
        return parse_mounts(stream.read())


def parse_mounts(text: str) -> list[Mount]:
    """Read the text of mountinfo."""
    mounts = []
    for line in text.splitlines():
        fields = line.split(" ")
        if len(fields) > 5:
            mounts.append(Mount(fields[2], _unescaped(fields[3]), _unescaped(fields[4])))
    return mounts


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 8)), text)


def other_names(path: str, mounts: list[Mount]) -> list[str]:
    """Return the further paths by which a real path is reached through other mounts."""
    here = [mount for mount in mounts if is_below(path, mount.point)]
    if not here:
        return []
    mine = max(reversed(here), key=lambda mount: len(mount.point))
    inner = _joined(mine.root, path, mine.point)
    return [
        _joined(mount.point, inner, mount.root)
        for mount in mounts
        if mount is not mine and mount.device == mine.device and is_below(inner, mount.root)
    ]


def is_below(path: str, root: str) -> bool:
    """Say whether a path is a folder or lies in it."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def _joined(start: str, path: str, root: str) -> str:
    """Return a path below root as one below start."""
    rest = path[len(root.rstrip("/")) :]
    return start.rstrip("/") + rest or "/"
