"""Folders of a task that tell whose they are, so that those of a killed hermes can be removed."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from hermes.environments.records import is_alive, owner

_NAME = re.compile(r"hermes-(?:shell|task|apart|ssh|sudo)-(\d+)-(\d+)-(\d+)-\w+")


def make(kind: str, parent: str | None) -> str:
    """Make a private folder of this process, for a ``shell``, ``task``, ``ssh`` and so on."""
    process, started = owner()
    prefix = f"hermes-{kind}-{_processes()}-{process}-{started}-"
    return tempfile.mkdtemp(prefix=prefix, dir=parent)


def sweep(parent: str | None) -> list[str]:
    """Remove the folders of processes that are gone, and return their names."""
    removed = []
    for path in Path(parent or tempfile.gettempdir()).glob("hermes-*"):
        if _is_left(path):
            shutil.rmtree(path, ignore_errors=True)
            removed.append(path.name)
    return removed


def _is_left(path: Path) -> bool:
    found = _NAME.fullmatch(path.name)
    if found is None or int(found[1]) != _processes():
        return False  # whether a process lives is only known where its number means it
    try:
        is_ours = path.lstat().st_uid == os.getuid()
    except OSError:
        return False
    return is_ours and not is_alive([int(found[2]), int(found[3])])


def _processes() -> int:
    """Return which processes are numbered together with this one."""
    try:
        return Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        return 0
