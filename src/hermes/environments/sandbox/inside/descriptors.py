"""Keep our own descriptors out of the way of those that programs use."""

from __future__ import annotations

import fcntl
import os

HIGH = 200
"""Descriptors from here on are the starter's own while a child is prepared."""
FIRST_FREE = 3


def high(fd: int) -> int:
    """Move a descriptor out of the way of those that programs use."""
    moved: int = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH)
    os.close(fd)
    return moved
