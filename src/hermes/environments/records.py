"""Remember on disk which commands run in the background, so that a crash does not hide them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from hermes.base.files import private_folder, write_atomic

_KEPT_SECONDS = 7 * 24 * 3600
_STARTED = 19
_UNKNOWN = -1
_LARGEST_PROCESS = (1 << 31) - 1


def owner() -> list[int]:
    """Return what tells this process from any other, before and after."""
    return [os.getpid(), _started(os.getpid())]


def _started(process: int) -> int:
    try:
        words = Path(f"/proc/{process}/stat").read_bytes().rpartition(b") ")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    except OSError:
        return _UNKNOWN
    return int(words[_STARTED])


def is_alive(owner: list[int]) -> bool:
    """Say whether a process is still there, and still the same one."""
    process, started = owner
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return _started(process) in (started, _UNKNOWN)


class Records:
    """One small file for each command; removed when its end was told or it is long past."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, facts: dict[str, Any]) -> None:
        """Write down a command that was started."""
        private_folder(self.folder)
        write_atomic(self.folder / f"{name}.json", json.dumps(facts | {"owner": owner()}))

    def remove(self, name: str) -> None:
        """Forget a command."""
        (self.folder / f"{name}.json").unlink(missing_ok=True)

    def orphaned(self) -> list[dict[str, Any]]:
        """Return the commands of processes that are gone, each once: they ended with them."""
        found = []
        for path in sorted(self.folder.glob("*.json")):
            facts = _read(path)
            if facts is not None and is_alive(facts["owner"]):
                continue
            log = path.with_suffix(".log")
            if facts is not None and time.time() - facts["started"] < _KEPT_SECONDS:
                found.append(facts | {"id": path.stem, "output": _tail(log)})
            log.unlink(missing_ok=True)
            path.unlink(missing_ok=True)
        return found


def _read(path: Path) -> dict[str, Any] | None:
    """Read one record; one that cannot be read says nothing and goes."""
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        owner, started = facts["owner"], facts["started"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(started, (int, float)) or not _is_owner(owner):
        return None
    return dict(facts)


def _is_owner(value: object) -> bool:
    if not isinstance(value, list) or [type(one) for one in value] != [int, int]:
        return False
    return bool(0 < value[0] <= _LARGEST_PROCESS)


def _tail(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 4_096))
            return file.read()
    except OSError:
        return b""
