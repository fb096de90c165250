"""The processes of a browser, so that none is left behind."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import Any

import psutil

from hermes.base.files import private_folder, write_atomic


async def process_of(browser: Any) -> int | None:
    """Return the number of a browser's main process, if it tells."""
    with contextlib.suppress(Exception):
        session = await browser.new_browser_cdp_session()
        told = await session.send("SystemInfo.getProcessInfo")
        await session.detach()
        return next(int(each["id"]) for each in told["processInfo"] if each["type"] == "browser")
    return None


class Ledger:
    """Write down which browser belongs to which hermes, and end those whose hermes is gone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / f"{os.getpid()}.txt"

    def note(self, pid: int | None) -> None:
        """Write down the browser of this process, or that it has none."""
        with contextlib.suppress(OSError):
            if pid is None:
                self._file.unlink(missing_ok=True)
                return
            private_folder(self._folder)
            write_atomic(self._file, f"{os.getpid()} {_born(os.getpid())} {pid} {_born(pid)}\n")

    def reap(self) -> int:
        """End the browsers that were left behind; say how many."""
        ended = 0
        for file in self._folder.glob("*.txt") if self._folder.is_dir() else ():
            try:
                owner, owner_born, pid, born = file.read_text(encoding="utf-8").split()
            except (OSError, ValueError):
                continue
            if _born(int(owner)) == owner_born:
                continue
            if _born(int(pid)) == born:
                _end(int(pid))
                ended += 1
            file.unlink(missing_ok=True)
        return ended


def _born(pid: int) -> str:
    try:
        return f"{psutil.Process(pid).create_time():.2f}"
    except (psutil.Error, ValueError):
        return "-"


def _end(pid: int) -> None:
    with contextlib.suppress(psutil.Error, OSError):
        process = psutil.Process(pid)
        for each in [*process.children(recursive=True), process]:
            with contextlib.suppress(psutil.Error):
                each.send_signal(signal.SIGKILL)
