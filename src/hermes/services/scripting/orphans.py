"""End workers that a killed hermes left behind: they compute on until their time is up."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def reap(worker: int) -> list[int]:
    """Kill processes of a worker's program and user that have lost their parent."""
    folder = Path("/proc")
    program = _program(folder / str(worker))
    if program is None or os.getpid() == 1:
        return []
    found = [
        int(entry.name)
        for entry in folder.iterdir()
        if entry.name.isdigit() and _program(entry) == program and _is_orphan(entry)
    ]
    for process in found:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    return found


def _program(entry: Path) -> tuple[str, int] | None:
    try:
        return str((entry / "exe").readlink()), entry.stat().st_uid
    except OSError:
        return None


def _is_orphan(entry: Path) -> bool:
    try:
        status = (entry / "status").read_text(encoding="ascii", errors="replace")
        parent = status.partition("PPid:\t")[2].partition("\n")[0]
        return parent == "1" or _name(parent) == "systemd"
    except OSError:
        return False


def _name(process: str) -> str:
    return Path(f"/proc/{process}/comm").read_text(encoding="utf-8", errors="replace").strip()
